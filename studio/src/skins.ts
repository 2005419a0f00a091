/** Gets the skin of the figure on the stage. The server writes a new file for it; the page never sees the uploaded one. */
export async function fetchSkin(tab: string, token: string): Promise<ArrayBuffer | null> {
  try {
    const answer = await fetch(`skin?${new URLSearchParams({ tab })}`, { method: "POST", headers: { Authorization: `Bearer ${token}` } });
    return answer.ok ? await answer.arrayBuffer() : null;
  } catch {
    return null;
  }
}
