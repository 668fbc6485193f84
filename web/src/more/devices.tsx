// Devices that have a token of their own, a code for another one, and taking a token back.
import { useState } from "preact/hooks";
import { call, post, words } from "../api/http";
import { type Device, opens } from "../api/types";
import { useKnown } from "../store/store";
import { Notice } from "../ui/parts";
import { dated } from "../ui/time";
import { Waiting, useTold } from "./told";

/** What each scope lets a device do, in words. */
const MAY: Record<string, string> = {
  view: "look",
  answer: "look and answer",
  drive: "talk to agents and type",
  admin: "do everything",
  hooks: "report, for agents elsewhere",
};

export function Devices() {
  const may = useKnown((state) => opens(state.about?.scope ?? null, "admin"));
  return may ? (
    <All />
  ) : (
    <Notice>
      Devices are shown to those with the scope admin. In a terminal: <code>coop devices list</code>.
    </Notice>
  );
}

function All() {
  const own = useKnown((state) => state.about?.device?.id);
  const { told, failed, again } = useTold<{ devices: Device[] }>("/api/v1/devices");
  const [wrong, setWrong] = useState<string | null>(null);
  if (!told) return <Waiting failed={failed} />;
  const revoke = (device: Device) => {
    if (!confirm(`Remove ${device.name}? It is out at once, and needs a new code to come back.`)) return;
    call("DELETE", `/api/v1/devices/${device.id}`).then(again, (error) => setWrong(words(error)));
  };
  return (
    <>
      <Code />
      {wrong && <Notice bad>{wrong}</Notice>}
      <ul class="rows">
        {told.devices.map((device) => (
          <li key={device.id} class="line">
            <span class="grow">
              <strong>{device.name}</strong> {device.id === own && <span class="dim">this device</span>}
              <span class="dim block">
                may {MAY[device.scope] ?? device.scope} ({device.scope}), since {dated(device.added_ms)}
              </span>
            </span>
            <button type="button" class="button small danger" onClick={() => revoke(device)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Code() {
  const [scope, setScope] = useState("answer");
  const [code, tell] = useState<string | null>(null);
  const [failed, fail] = useState<string | null>(null);
  const make = async (event: Event) => {
    event.preventDefault();
    try {
      tell((await post<{ code: string }>("/api/v1/pair/codes", { scope })).code);
    } catch (error) {
      fail(words(error));
    }
  };
  return (
    <form class="row" onSubmit={make}>
      <select aria-label="What it may do" value={scope} onChange={(event) => setScope(event.currentTarget.value)}>
        {["view", "answer", "drive", "admin"].map((one) => (
          <option value={one}>{`may ${MAY[one]}`}</option>
        ))}
      </select>
      <button class="button small primary">A code for another device</button>
      {code && (
        <Notice>
          On the device, open <code>{location.origin}/pair</code> and type <strong class="pair-code">{code}</strong>. It is good
          once, for five minutes.
        </Notice>
      )}
      {failed && <Notice bad>{failed}</Notice>}
    </form>
  );
}
