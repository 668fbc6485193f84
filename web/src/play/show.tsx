// A recording with its controls: play, go elsewhere in it, faster, from marker to marker.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { shown } from "../ui/shown";
import type { Cast } from "./cast";
import { press } from "./keys";
import { Player, SPEEDS } from "./player";
import { Box } from "./stage";
import { PAUSE, finely, spelled } from "./track";
import "../styles/play.css";

/** So often what is said of the position changes, in milliseconds. */
const GLANCE = 100;

export function Show({ cast }: { cast: Cast }) {
  const root = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [player, set] = useState<Player | null>(null);
  const [, draw] = useState("");
  useEffect(() => {
    if (!box.current) return;
    const stage = new Box(box.current);
    const own = new Player(cast, stage, () => {
      const { position, playing, behind, speed, track } = own;
      draw(`${Math.floor(position / GLANCE)} ${position === track.total} ${playing} ${behind} ${speed} ${track.pause}`);
    });
    own.start();
    set(own);
    const pressed = (event: KeyboardEvent) => press(event, own, root.current);
    addEventListener("keydown", pressed);
    return () => {
      removeEventListener("keydown", pressed);
      own.stop();
      stage.close();
    };
  }, [cast]);
  const busy = player?.behind === true;
  return (
    <section class="player" aria-label="Player" ref={root}>
      <div class="screen" ref={box} tabIndex={0} role="region" aria-label="Screen of the recording" aria-busy={busy} />
      {player && <Controls player={player} />}
      {player && player.track.markers.length > 0 && <Markers player={player} />}
    </section>
  );
}

function Controls({ player }: { player: Player }) {
  const { position, playing, behind, speed, track } = player;
  const [now, end] = [spelled(position), spelled(track.total)];
  const next = track.after(position);
  const before = track.before(position);
  return (
    <div class="controls">
      <div class="controls-row">
        <button type="button" class="round" onClick={() => player.toggle()} aria-label={playing ? "Pause" : "Play"}>
          <Sign path={playing ? SIGNS.pause : SIGNS.play} />
        </button>
        <input
          type="range"
          class="position"
          aria-label="Position"
          aria-valuetext={`${now} of ${end}`}
          min={0}
          max={Math.max(1, track.total)}
          step="any"
          value={position}
          onInput={(event) => player.seek(Number(event.currentTarget.value))}
        />
        <span class="times">
          {now} / {end}
        </span>
      </div>
      <div class="controls-row">
        <button type="button" class="button small" disabled={!before} onClick={() => player.jump(-1)} aria-label="Previous marker">
          <Sign path={SIGNS.back} />
        </button>
        <button type="button" class="button small" disabled={!next} onClick={() => player.jump(1)} aria-label="Next marker">
          <Sign path={SIGNS.on} />
        </button>
        <label class="speed">
          <span>Speed</span>
          <select value={`${speed}`} onChange={(event) => player.faster(Number(event.currentTarget.value))}>
            {SPEEDS.map((speed) => (
              <option value={`${speed}`}>{speed}×</option>
            ))}
          </select>
        </label>
        <label class="tick">
          <input type="checkbox" checked={track.pause > 0} onChange={(event) => player.cut(event.currentTarget.checked ? PAUSE : 0)} />
          <span>Cut pauses to {PAUSE / 1000} s</span>
        </label>
        <span class={behind ? "catching-up slow" : "catching-up"} aria-hidden={!behind}>
          {behind && "Going there…"}
        </span>
      </div>
    </div>
  );
}

/** Drawn here, because many fonts lack them. */
const SIGNS = {
  play: "M6 3v18l15-9z",
  pause: "M5 3h5v18H5zM14 3h5v18h-5z",
  back: "M4 4h3v16H4zM20 4v16L8 12z",
  on: "M17 4h3v16h-3zM4 4v16l12-8z",
};

function Sign({ path }: { path: string }) {
  return (
    <svg width="18" height="18" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

function Markers({ player }: { player: Player }) {
  const [open, set] = useState(false);
  const { markers } = player.track;
  const here = markers.findLast((marker) => marker.at <= player.position);
  // There may be thousands, and the position changes all the time.
  const list = useMemo(
    () =>
      markers.map((marker) => (
        <li>
          <button type="button" class="plain" aria-current={marker === here ? "true" : undefined} onClick={() => player.seek(marker.at)}>
            <span class="dim">{finely(marker.at)}</span> {shown(marker.name)}
          </button>
        </li>
      )),
    [player, markers, here],
  );
  return (
    <details class="markers" onToggle={(event) => set(event.currentTarget.open)}>
      <summary>
        Markers ({markers.length}){here && <span class="dim"> · {shown(here.name)}</span>}
      </summary>
      {open && <ol>{list}</ol>}
    </details>
  );
}
