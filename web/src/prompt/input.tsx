// The whole input of a tool, in the form that is easiest to judge. Nothing of it is left out: what is approved is what is
// shown.
import type { Prompt } from "../api/types";
import { Code, Diff } from "../ui/parts";
import { exact } from "../ui/shown";
import { Whole } from "../ui/whole";

type Fields = Record<string, unknown>;

export function Input({ prompt }: { prompt: Prompt }) {
  const input = fields(prompt.input);
  const description = typeof input["description"] === "string" ? exact(input["description"]) : null;
  return (
    <div class="input">
      {description && <p class="description">{description}</p>}
      <Change input={input} text={prompt.text} />
      <p class="where">
        in <code>{exact(prompt.cwd)}</code>
      </p>
    </div>
  );
}

function Change({ input, text }: { input: Fields; text: string }) {
  const path = string(input, "file_path") ?? string(input, "notebook_path");
  const known = (keys: string[]) => Object.keys(input).every((key) => keys.includes(key));
  const before = string(input, "old_string");
  const after = string(input, "new_string");
  const content = string(input, "content");
  if (path && before !== null && after !== null && known(["file_path", "old_string", "new_string", "replace_all"])) {
    return (
      <>
        <File path={path} note={input["replace_all"] === true ? "everywhere in the file" : null} />
        <Whole>
          <Diff before={exact(before)} after={exact(after)} />
        </Whole>
      </>
    );
  }
  if (path && content !== null && known(["file_path", "content"])) {
    return (
      <>
        <File path={path} note={`${content.split("\n").length} lines, written whole`} />
        <Whole>
          <Code text={exact(content)} label="What is written" />
        </Whole>
      </>
    );
  }
  return (
    <Whole>
      <Code text={exact(text)} label="What is asked" />
    </Whole>
  );
}

function File({ path, note }: { path: string; note: string | null }) {
  return (
    <p class="file">
      <code>{exact(path)}</code> {note && <span class="dim">{note}</span>}
    </p>
  );
}

function fields(input: unknown): Fields {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Fields) : {};
}

function string(input: Fields, key: string): string | null {
  const value = input[key];
  return typeof value === "string" ? value : null;
}
