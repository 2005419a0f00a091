/** Who this page is: the token from the fragment of its address, and the id of its tab. */

/** The token. It stays in the fragment, which a browser never sends. */
export const tokenOf = (fragment: string): string => decodeURIComponent(fragment.replace(/^#/, "")).trim();

/** The id of this tab. A reload keeps it, another tab has another one. */
export function tabId(storage: Storage): string {
  const known = storage.getItem("manikin-tab");
  if (known && /^[\w-]{8,64}$/.test(known)) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  storage.setItem("manikin-tab", made);
  return made;
}
