// The one place where text of an agent becomes HTML: read as markdown, then cleaned of everything that could act.
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { shown } from "./shown";

const marked = new Marked({ gfm: true, breaks: true });
// HTML in markdown is text here: agents write about code.
marked.use({ renderer: { html: ({ text }) => escaped(text), image: ({ text, href }) => escaped(text || href) } });

const TAGS =
  "a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong sub sup table tbody td th thead tr ul";

const purify = DOMPurify(window);
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  // Somewhere else, without a word of where it comes from.
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer nofollow");
});

export function render(text: string): string {
  const html = marked.parse(shown(text), { async: false });
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
