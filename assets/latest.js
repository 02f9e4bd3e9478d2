// How a component begins that is drawn anew for each rerun.

import { stylesheet } from "./dom.js";
import { load } from "./text/words.js";

const newest = new WeakMap();

// The component's root and its words, with its styles there too; null where a newer rerun overtook this one.
export async function latest({ data, parentElement }, styles) {
  const mount = parentElement.querySelector(".ra-root");
  newest.set(mount, data);
  const [words] = await Promise.all([load(data.language), stylesheet(styles)]);
  return newest.get(mount) === data ? { mount, words } : null;
}
