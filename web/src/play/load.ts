// A recording out of a file or a reply, in parts, so that the page goes on meanwhile.
import { type Cast, CastError, Reader } from "./cast";

/** Recordings that coop makes by itself have 100 MiB at most and for a moment somewhat more; a browser holds that. */
export const LARGEST = 128 << 20;
/** So long the page may wait, in milliseconds. */
const STRETCH = 30;

export async function load(stream: ReadableStream<Uint8Array>, largest = LARGEST): Promise<Cast> {
  const source = stream.getReader();
  const reader = new Reader();
  const decoder = new TextDecoder();
  let size = 0;
  let since = performance.now();
  try {
    for (;;) {
      const { done, value } = await source.read();
      if (done) break;
      size += value.length;
      if (size > largest) throw tooLarge(largest);
      reader.add(decoder.decode(value, { stream: true }));
      if (performance.now() - since < STRETCH) continue;
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
    reader.add(decoder.decode());
    return reader.end();
  } finally {
    // Whoever sends it has nothing to say to that.
    source.cancel().catch(() => undefined);
  }
}

/** The same of a file, of which the size is known before. */
export async function loadFile(file: Blob, largest = LARGEST): Promise<Cast> {
  if (file.size > largest) throw tooLarge(largest);
  return load(file.stream(), largest);
}

function tooLarge(largest: number): CastError {
  return new CastError(`it has more than ${largest >> 20} MiB, which is too much for a browser: \`coop play\` plays it in a terminal`);
}
