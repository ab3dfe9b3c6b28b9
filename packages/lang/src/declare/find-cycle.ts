// Finds cycles among types or bindings.

/**
 * Depth first, iteratively: paths may be thousands long. `found` is called with each cycle once, beginning at the member that was reached
 * first. Returns all nodes, each after those it leads to.
 */
export const findCycles = <T>(roots: Iterable<T>, nextOf: (node: T) => Iterable<T>, found: (cycle: readonly T[]) => void): readonly T[] => {
  const done: T[] = []
  /** The position on the path, or -1 once it is finished. */
  const state = new Map<T, number>()
  const path: T[] = []
  const open: Iterator<T>[] = []
  const enter = (node: T) => {
    state.set(node, path.length)
    path.push(node)
    open.push(nextOf(node)[Symbol.iterator]())
  }
  for (const root of roots) {
    if (!state.has(root)) enter(root)
    for (let last = open.at(-1); last; last = open.at(-1)) {
      const step = last.next()
      if (step.done) {
        open.pop()
        const node = path.pop() as T
        state.set(node, -1)
        done.push(node)
        continue
      }
      const at = state.get(step.value)
      if (at === undefined) enter(step.value)
      else if (at >= 0) found(path.slice(at))
    }
  }
  return done
}
