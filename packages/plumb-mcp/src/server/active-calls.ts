// Calls that run, by id: their client gets notifications of them, and can be asked.

export interface ActiveCall {
  /** What happened, for a person. */
  readonly tell: (message: string) => void
  /** A person's word on a call of a tool. */
  readonly approve: (request: { readonly tool: string; readonly input: unknown }) => Promise<boolean>
  readonly stop: AbortController
}

export interface ActiveCalls {
  /** Returns its id, and how to say that it is over. */
  begin(call: ActiveCall): { readonly id: string; readonly end: () => void }
  get(id: string): ActiveCall | undefined
  /** Resolves once none runs. */
  idle(): Promise<void>
  /** Gives all of them up. */
  stop(): void
  readonly size: number
}

export const openActiveCalls = (): ActiveCalls => {
  const calls = new Map<string, ActiveCall>()
  const whenIdle: (() => void)[] = []
  let count = 0
  return {
    begin: (call) => {
      const id = `mcp-${++count}`
      calls.set(id, call)
      const end = (): void => {
        calls.delete(id)
        if (calls.size === 0) for (const resolve of whenIdle.splice(0)) resolve()
      }
      return { id, end }
    },
    get: (id) => calls.get(id),
    idle: () => (calls.size === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
    stop: () => {
      for (const { stop } of calls.values()) stop.abort()
    },
    get size() {
      return calls.size
    },
  }
}
