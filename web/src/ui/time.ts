// Times as people say them, and a clock that ticks for whoever shows one.
import { useEffect, useState } from "preact/hooks";

export function ago(ms: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - ms) / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h ${minutes % 60 ? `${minutes % 60}m` : ""}`.trim();
  return `${Math.floor(hours / 24)}d`;
}

export function clock(ms: number): string {
  return new Date(ms).toLocaleTimeString(undefined, { timeStyle: "medium", hourCycle: "h23" });
}

export function dated(ms: number): string {
  return new Date(ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

export function useNow(every: number): number {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
