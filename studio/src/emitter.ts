/** Events with typed values. */
export class Emitter<Events extends object> {
  private readonly listeners = new Map<keyof Events, Set<(value: never) => void>>();

  /** Calls `then` at every event of a kind. Returns a function that stops it. */
  on<K extends keyof Events>(kind: K, then: (value: Events[K]) => void): () => void {
    const found = this.listeners.get(kind) ?? new Set();
    this.listeners.set(kind, found.add(then as (value: never) => void));
    return () => found.delete(then as (value: never) => void);
  }

  emit<K extends keyof Events>(kind: K, value: Events[K]): void {
    for (const then of this.listeners.get(kind) ?? []) (then as (value: Events[K]) => void)(value);
  }
}
