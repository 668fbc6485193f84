// Where in the app somebody is, as the part of the address behind #, which is sent to nobody.
import { useEffect, useState } from "preact/hooks";

export const TABS = ["conversation", "terminal", "recording", "transcripts", "timeline"] as const;
export type Tab = (typeof TABS)[number];
export const MORE = ["search", "history", "rules", "devices", "settings", "new", "play"] as const;
export type More = (typeof MORE)[number];

export type Route =
  | { page: "board" }
  | { page: "session"; id: number; tab: Tab | null; line: number | null }
  | { page: More };

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [first = "", second = "", third = ""] = path.split("/");
  if (first === "session" && /^\d+$/.test(second)) {
    const line = new URLSearchParams(query).get("line");
    const tab = TABS.find((tab) => tab === third) ?? null;
    return { page: "session", id: Number(second), tab, line: line && /^\d+$/.test(line) ? Number(line) : null };
  }
  const more = MORE.find((page) => page === first);
  return more ? { page: more } : { page: "board" };
}

export function useRoute(): Route {
  const [route, set] = useState(() => parse(location.hash));
  useEffect(() => {
    const changed = () => set(parse(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
