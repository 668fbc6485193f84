// A picture of a conversation: as bytes in the page, so that nothing is fetched for it.
import { useState } from "preact/hooks";
import type { Entry } from "../api/types";

/** What browsers show as a picture and never run. */
const KINDS = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const PLAIN = /^[A-Za-z0-9+/=]+$/;

export function Picture({ image }: { image: Entry }) {
  const [whole, show] = useState(false);
  const kind = image.media_type ?? "";
  const data = image.data ?? "";
  if (!KINDS.includes(kind) || !PLAIN.test(data)) return <p class="dim no-picture">An image that cannot be shown here</p>;
  return (
    <button type="button" class={whole ? "picture whole" : "picture"} aria-expanded={whole} onClick={() => show(!whole)}>
      <img src={`data:${kind};base64,${data}`} alt={whole ? "Image, whole" : "Image; tap to see it whole"} />
    </button>
  );
}
