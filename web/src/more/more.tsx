// The pages beside the board.
import type { ComponentType } from "preact";
import { later } from "../ui/later";
import type { More as Page } from "../ui/route";
import { Devices } from "./devices";
import { History } from "./history";
import { New } from "./new";
import { Rules } from "./rules";
import { Search } from "./search";
import { Settings } from "./settings";
import "../styles/more.css";

const PlayFile = later(async () => (await import("../play/file")).PlayFile);

const PAGES: Record<Page, [string, ComponentType]> = {
  search: ["Search", Search],
  history: ["History of decisions", History],
  rules: ["Rules", Rules],
  devices: ["Devices", Devices],
  settings: ["Settings", Settings],
  new: ["Start a session", New],
  play: ["Play a recording", PlayFile],
};

export function More({ page }: { page: Page }) {
  const [title, Body] = PAGES[page];
  return (
    <div class="more">
      <header class="more-head">
        <a class="back" href="#/" aria-label="Back to the board">
          ‹
        </a>
        <h1>{title}</h1>
      </header>
      <Body key={page} />
    </div>
  );
}
