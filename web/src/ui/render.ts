// The one place where text of an agent becomes HTML: read as markdown, then cleaned of everything that could act.
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { loses } from "./loses";
import { shown } from "./shown";

// HTML in markdown is text here: agents write about code.
const html = ({ text }: { text: string }) => escaped(text);
const marked = new Marked({ gfm: true, breaks: true });
marked.use({ renderer: { html, image: ({ text, href }) => escaped(text || href) } });

// With what markdown keeps to itself: targets of links and pictures, definitions, and the words behind a fence.
const whole = new Marked({ gfm: true, breaks: true });
whole.use({
  renderer: {
    html,
    image: ({ raw }) => escaped(raw),
    def: ({ raw }) => `<p>${escaped(raw)}</p>`,
    link(token) {
      const text = this.parser.parseInline(token.tokens);
      const target = [token.href, token.title].filter(Boolean).join(" ");
      const more = token.text === target ? "" : ` (${escaped(target)})`;
      return `<a href="${escaped(token.href)}">${text}</a>${more}`;
    },
    code: ({ text, lang }) => `${lang ? `<p>${escaped(lang)}:</p>` : ""}<pre><code>${escaped(text)}</code></pre>`,
  },
});

const TAGS =
  "a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong sub sup table tbody td th thead tr ul";

const purify = DOMPurify(window);
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  // Opened in a tab of its own, without the address of this page.
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer nofollow");
});
// An entity such as &#x202E; is a character only now.
purify.addHook("uponSanitizeElement", (node) => {
  if (node.nodeType === Node.TEXT_NODE && node.textContent) node.textContent = shown(node.textContent);
});

export function render(text: string): string {
  return cleaned(marked.parse(shown(text), { async: false }));
}

/** The same for what is approved: null if a word of the text would not be seen. */
export function renderWhole(text: string): string | null {
  const html = cleaned(whole.parse(shown(text), { async: false }));
  const visible = new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";
  return loses(text, visible) ? null : html;
}

function cleaned(html: string): string {
  return purify.sanitize(html, {
    ALLOWED_TAGS: TAGS.split(" "),
    ALLOWED_ATTR: ["href", "start", "align"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
