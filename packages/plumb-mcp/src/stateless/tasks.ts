// Calls that take long, as tasks (io.modelcontextprotocol/tasks, 2026-07-28): the client gets a handle in place of the result, asks after it,
// answers what it asks a person, and may lose its connection meanwhile.

import { randomUUID } from 'node:crypto'
import type { Params, RequestContext } from '../server/method.js'
import { textParam } from '../server/method.js'
import { INVALID_PARAMS, MISSING_CAPABILITY, RpcError, toRpcError } from '../server/rpc-error.js'
import { TASKS } from './envelope.js'

/** A call that runs, whoever waits for it. */
export interface RunningCall {
  readonly done: Promise<object>
  /** Those that a person is asked, as `inputRequests` has them. Undefined: none. */
  readonly asks: () => object | undefined
  /** `inputResponses`: rejects with an `RpcError` if they are wrong; unknown keys are left. */
  readonly answer: (responses: unknown) => void
  readonly stop: () => void
  /** Called when there is a question, or none any more. */
  wake: () => void
}

export interface ServerTasks {
  /** The result in place of that of the call. Undefined: there are as many as are kept. */
  create(call: RunningCall): object | undefined
  /** tasks/get, tasks/update, tasks/cancel. Undefined: no such method. */
  readonly methods: Readonly<Record<string, (params: Params) => object>>
  /** Tells of changes of these tasks; returns those that there are, and what ends it. */
  watch(ids: readonly string[], send: RequestContext['sendNotification']): { readonly ids: readonly string[]; readonly end: () => void }
}

const MAX_TASKS = 1000
/** A result is kept for this long after it was asked for, or has come (ms). */
const KEPT_MS = 600_000
const POLL_MS = 1000

class Task {
  readonly #id = randomUUID()
  readonly #createdMs = Date.now()
  readonly #call: RunningCall
  readonly #forget: () => void
  readonly watchers = new Set<() => void>()
  #updatedMs = this.#createdMs
  #end: object | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(call: RunningCall, forget: (id: string) => void) {
    this.#call = call
    this.#forget = () => forget(this.#id)
    call.wake = () => this.#change()
    call.done.then(
      (result) => this.#settle({ status: 'completed', result }),
      (error: unknown) => {
        const { code, message, data } = toRpcError(error)
        this.#settle({ status: 'failed', statusMessage: message, error: { code, message, ...(data === undefined ? {} : { data }) } })
      },
    )
    this.keep()
  }

  get id(): string {
    return this.#id
  }

  /** As `tasks/get` has it. */
  get state(): object {
    const inputRequests = this.#call.asks()
    const status = inputRequests ? { status: 'input_required', inputRequests } : { status: 'working' }
    return {
      taskId: this.#id,
      createdAt: new Date(this.#createdMs).toISOString(),
      lastUpdatedAt: new Date(this.#updatedMs).toISOString(),
      ttlMs: Date.now() - this.#createdMs + KEPT_MS,
      pollIntervalMs: POLL_MS,
      ...(this.#end ?? status),
    }
  }

  /** From now on. */
  keep(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.#end ? this.#forget() : this.keep()), KEPT_MS).unref()
  }

  answer(responses: unknown): void {
    if (!this.#end) this.#call.answer(responses)
  }

  cancel(): void {
    if (this.#end) return
    this.#settle({ status: 'cancelled' })
    this.#call.stop()
  }

  #settle(end: object): void {
    if (this.#end) return
    this.#end = end
    this.keep()
    this.#change()
  }

  #change(): void {
    this.#updatedMs = Date.now()
    for (const tell of [...this.watchers]) tell()
  }
}

export const openTasks = (): ServerTasks => {
  const tasks = new Map<string, Task>()
  const named = (params: Params): Task => {
    const task = tasks.get(textParam(params, 'taskId'))
    if (!task) throw new RpcError(INVALID_PARAMS, "no task has this 'taskId': it has ended, and its result was kept for ten minutes")
    task.keep()
    return task
  }
  return {
    create: (call) => {
      if (tasks.size >= MAX_TASKS) return undefined
      const task = new Task(call, (id) => tasks.delete(id))
      tasks.set(task.id, task)
      return { resultType: 'task', ...task.state }
    },
    methods: {
      'tasks/get': (params) => named(params).state,
      'tasks/update': (params) => {
        named(params).answer(params.inputResponses)
        return {}
      },
      'tasks/cancel': (params) => {
        named(params).cancel()
        return {}
      },
    },
    watch: (ids, send) => {
      const watched = ids.flatMap((id) => tasks.get(id) ?? [])
      const ends = watched.map((task) => {
        // A client that is gone has ended it.
        const tell = (): void => void send({ method: 'notifications/tasks', params: { ...task.state } }).catch(() => {})
        task.watchers.add(tell)
        return () => task.watchers.delete(tell)
      })
      return { ids: watched.map(({ id }) => id), end: () => ends.forEach((end) => void end()) }
    },
  }
}

/** Of a client that has not said that it knows them. */
export const lacksTasks = (): RpcError =>
  new RpcError(MISSING_CAPABILITY, 'this is about a task, and the client has no tasks', {
    requiredCapabilities: { extensions: { [TASKS]: {} } },
  })
