// One part of one run in one worker: takes messages, gives them to its process, and settles what comes of them.
//
//   state      since                takes messages   settles        ends when
//   on         the start            yes              yes            stop(), kill(), or the process refuses the part
//   stopping   stop()               no               yes            kill()
//   given up   status 2, no grant   no               what is left   kill()
//   off        kill(), giveBack()   no               no             -
//
//   sharing    since                                       takes
//   any        the start, or nothing is in flight          as many as there are slots
//   draining   a message waits that must run alone         nothing until nothing is in flight, then that one
//   alone      it was taken                                nothing until it is settled
//
// A process that fails: its messages are delivered again, one at a time, and after 5 deliveries become dead letters. If another worker has
// settled a message of this one (`lease_lost`), all are dropped, and a part with a memory is claimed again. Status 2 of the process:
// another worker may have what this one lacks.

import { randomUUID } from 'node:crypto'
import { type Exit, type Fault, fault, type Result, succeed } from '@plumb/wire'
import type { DeadLetter, Engine, Settlement, TakenMessage } from './engine.js'
import { MAX_TRIES, type Outcomes, outcomesOf, settlementOf, whyNotRetried } from './message-outcomes.js'
import type { PartAnswers } from './part-answers.js'
import type { PartEvent } from './part-events.js'
import type { PartProcess, PartProcessOptions, ProcessEvents, Ready } from './part-process.js'
import { PartProgress } from './part-progress.js'
import type { PlannedPart } from './run-plan.js'

export interface PartRunnerOptions {
  readonly engine: Engine
  readonly run: string
  /** Of the run. */
  readonly name: string
  readonly part: PlannedPart
  readonly slots: number
  readonly budget: PartProcessOptions['budget']
  /** Called when its process gets work, which may spend. */
  readonly onTaken: () => void
  /** Same as in `RunRow`. */
  readonly limits: string | null
  /** Events of its process are stored, or watched by this worker. */
  readonly isLogged: boolean
  readonly keep: boolean
  /** Undefined: no answers are kept. */
  readonly openAnswers: (() => Promise<Result<PartAnswers>>) | undefined
  readonly onEvents: (events: readonly PartEvent[]) => void
  readonly onSettled: (settlement: Settlement, began: number) => void
  /** The delay before a second try; each next time it is five times as long. */
  readonly retrySeconds: number
  readonly start: (part: PlannedPart, memory: readonly string[] | undefined, on: ProcessEvents) => Result<PartProcess>
  readonly warn: (warning: Fault) => void
  readonly report: (fault: Fault) => void
  /** The engine is unavailable. */
  readonly fail: (error: unknown) => void
}

const MAX_SETTLED = 500

export class PartRunner {
  readonly #o: PartRunnerOptions
  #process: PartProcess | undefined
  #lease: string = randomUUID()
  #ready: Ready[] = []
  #state: 'on' | 'stopping' | 'given up' | 'off' = 'on'
  #sharing: 'any' | 'draining' | 'alone' = 'any'
  #steps: 'idle' | 'running' | 'again' = 'idle'
  #isSettling = false
  /** Messages that wait in its process for others, and take no slot. */
  #waiting = 0
  /** The last error that the process has reported of itself. */
  #complaint: Fault | undefined
  readonly #progress = new PartProgress()
  #answers: PartAnswers | undefined

  constructor(options: PartRunnerOptions) {
    this.#o = options
  }

  /** Enough messages wait after it. */
  isHeld = false

  /** For a person, or a program that watches workers. */
  get status(): object {
    const { name, part } = this.#o
    return { run: name, part: `${part.id} ${part.name}`, in_hand: this.#inHand, ...this.#progress.status }
  }

  /** No message is in flight. */
  get isIdle(): boolean {
    return this.#inHand === 0 && this.#steps === 'idle' && !this.#isSettling
  }

  /** Takes and settles messages as far as possible now. */
  async step(): Promise<void> {
    const before = this.#steps
    this.#steps = 'again'
    if (before !== 'idle') return
    try {
      while (this.#mustStep()) await this.#take()
    } finally {
      this.#steps = 'idle'
    }
  }

  get #isAlone(): boolean {
    return this.#sharing === 'alone'
  }

  #mustStep(): boolean {
    if (this.#steps !== 'again') return false
    this.#steps = 'running'
    return true
  }

  /** Stops taking messages. */
  stop(): void {
    if (this.#state === 'on') this.#state = 'stopping'
  }

  /** Messages in flight are dropped; they are not returned. */
  kill(): void {
    this.#state = 'off'
    this.#process?.kill()
    this.#answers?.close()
  }

  /** Nothing is returned. */
  async close(): Promise<void> {
    await this.#settleSpending()
    this.kill()
  }

  async giveBack(): Promise<void> {
    await this.close()
    await this.#o.engine.release(this.#lease, false)
    if (this.#o.part.kind === 'owned') await this.#o.engine.unclaim(this.#o.run, this.#o.part.id)
  }

  /** Call it regularly. Notifies a process whose messages wait for others when there are no others. */
  async check(): Promise<void> {
    await this.#settleSpending()
    const { engine, run, part } = this.#o
    const targets = part.outputs.flatMap((output) => output.targets.map((target) => target.part)).filter((target) => target > 0)
    const { isCrowded, hasAlone } = await engine.look(run, part.id, targets)
    this.isHeld = isCrowded
    if (this.#sharing !== 'alone') this.#sharing = hasAlone ? 'draining' : 'any'
    const isStill = this.#progress.isStill() && this.#process !== undefined && this.#process.inHand > 0
    if (!isStill || this.#steps !== 'idle') return
    if (await engine.isLast(run, part.id, part.above, this.#lease)) this.#process?.end()
    else if (part.holdsMessages && this.#inHand > this.#waiting) {
      this.#waiting = this.#inHand
      await this.step()
    }
  }

  get #inHand(): number {
    return (this.#process?.inHand ?? 0) + this.#ready.reduce((sum, { finished }) => sum + finished.length, 0)
  }

  async #take(): Promise<void> {
    const { part, slots } = this.#o
    if (this.#state !== 'on' || this.isHeld || (this.#sharing !== 'any' && this.#inHand > 0)) return
    this.#sharing = 'any'
    const most = (part.isOneByOne ? 1 : slots) + this.#waiting - this.#inHand
    if (most <= 0) return
    if (part.kind === 'owned' && !this.#process && !(await this.#start())) return
    const before = this.#lease
    let taken: readonly TakenMessage[] = []
    if (this.#inHand === 0) {
      taken = await this.#takeSome(1, true)
      if (taken.length > 0) this.#sharing = 'alone'
    }
    const isAlone = this.#isAlone
    if (taken.length === 0) taken = await this.#takeSome(most, false)
    if (before !== this.#lease) await this.#o.engine.release(before, false)
    if (taken.length === 0 || before !== this.#lease) return
    this.#progress.note()
    const letters = taken.flatMap((message): DeadLetter | [] => {
      const fault = whyNotRetried(message, part)
      return fault ? { message, fault } : []
    })
    if (letters.length > 0) await this.#settle({ done: letters.map(({ message }) => message), outputs: [], letters, again: [] })
    const rest = taken.filter((message) => !whyNotRetried(message, part))
    const [only] = rest
    const journal = part.parks && isAlone && only ? await this.#o.engine.callsOf(this.#o.run, part.id, only.ord) : []
    if (journal.length > 0) {
      // It reads decisions at its start.
      this.#process?.kill()
      this.#process = undefined
      if (!(await this.#start(journal))) return
      // Owning a part returns what was taken before.
      if (part.kind === 'owned') rest.splice(0, 1, ...(await this.#takeSome(1, true)))
    }
    if (rest.length > 0 && !this.#process && !(await this.#start())) return
    for (const message of rest) this.#process?.send(message)
    this.#o.onTaken()
    this.#steps = 'again'
  }

  #takeSome(most: number, isAlone: boolean): Promise<readonly TakenMessage[]> {
    const { engine, run, part } = this.#o
    return engine.take({ run, part: part.id, lease: this.#lease, most, isAlone, above: part.kind === 'owned' ? part.above : undefined })
  }

  async #start(journal: readonly string[] = []): Promise<boolean> {
    const { engine, run, part, start, report, budget } = this.#o
    const lease = this.#lease
    const memory = part.kind === 'owned' ? await engine.claim(run, part.id) : undefined
    if (part.kind === 'owned' && !memory) return false
    const answers = await this.#open()
    if (!answers.ok) {
      report(answers.error)
      await this.#yieldPart(answers.error.detail)
      return false
    }
    // The runner was killed meanwhile, and would not end a process that began now.
    if (this.#state === 'off') {
      if (memory) await engine.unclaim(run, part.id)
      return false
    }
    const started = start(part, memory, {
      budget,
      journal: part.parks ? journal : undefined,
      answers: this.#answers && { shared: this.#answers.place, isOnly: this.#answers.isOnly },
      deliveryOf: (message) => this.#deliveryOf(message),
      isLogged: this.#o.isLogged,
      onFinished: (ready) => {
        // The process was dropped; its messages belong to another worker.
        if (lease !== this.#lease) return
        this.#progress.note()
        this.#ready.push(ready)
        this.#flush().catch(this.#o.fail)
      },
      onSpent: (more) => this.#progress.spend(more),
      onReported: ({ severity, fault: said }) => {
        if (severity === 'warning') return this.#o.warn(said)
        this.#complaint = said
        report(said)
      },
    })
    if (!started.ok) {
      report(started.error)
      await this.#yieldPart(started.error.detail)
      return false
    }
    const process = started.value
    this.#process = process
    process.exited.then((exit) => this.#ended(process, exit)).catch(this.#o.fail)
    return true
  }

  /** Once for all its processes. */
  async #open(): Promise<Result<void>> {
    const opened = this.#answers ? undefined : await this.#o.openAnswers?.()
    if (!opened) return succeed(undefined)
    if (!opened.ok) return opened
    this.#answers = opened.value
    if (this.#state === 'off') this.#answers.close()
    return succeed(undefined)
  }

  #deliveryOf({ ord }: Pick<TakenMessage, 'ord'>): string {
    const { name, part } = this.#o
    return `${name}/${part.id}/${ord.slice(1, -1).replaceAll(',', '.')}`
  }

  async #ended(process: PartProcess, { status }: Exit): Promise<void> {
    if (process !== this.#process) return
    const left = process.messages
    await this.#flush()
    for (const message of left) this.#answers?.take(this.#deliveryOf(message))
    this.#process = undefined
    const { engine, run, part } = this.#o
    if (this.#state === 'off') return
    if (part.isFixed) await engine.unclaim(run, part.id)
    if (status === 2) {
      await this.#yieldPart(this.#complaint?.detail ?? `'${part.name}' does not start here`)
      return
    }
    const [only] = left
    if (only && left.length === 1) {
      const error = fault('child_failed', `'${part.name}' has ended without an answer to this message`)
      if (only.tries >= MAX_TRIES) await this.#settle({ done: left, outputs: [], letters: [{ message: only, fault: error }], again: [] })
      else await this.#settle({ done: [], outputs: [], letters: [], again: left })
    } else if (left.length > 1) await engine.release(this.#lease, true)
    await this.step()
  }

  /** Settles in one transaction at a time; results that become ready meanwhile go into the next. */
  async #flush(): Promise<void> {
    if (this.#isSettling) return
    this.#isSettling = true
    try {
      while (this.#ready.length > 0 && this.#state !== 'off') {
        const groups: Ready[] = []
        for (let count = 0; count < MAX_SETTLED && this.#ready.length > 0; ) {
          const group = this.#ready.shift() as Ready
          groups.push(group)
          count += group.finished.length
        }
        await this.#settleAll({
          finished: groups.flatMap(({ finished }) => finished),
          memory: groups.flatMap(({ memory }) => memory),
          events: groups.flatMap(({ events }) => events),
        })
      }
    } finally {
      this.#isSettling = false
    }
    this.step().catch(this.#o.fail)
  }

  /** What a program reports of its spending may be read after the answer that it was for. */
  async #settleSpending(): Promise<void> {
    if (!this.#progress.hasUnsettled || !this.#process || this.#isSettling || this.#state === 'off') return
    this.#isSettling = true
    try {
      await this.#settle({ done: [], outputs: [], letters: [], again: [] })
    } finally {
      this.#isSettling = false
    }
    if (this.#ready.length > 0) await this.#flush()
  }

  async #settleAll(ready: Ready): Promise<void> {
    const { part } = this.#o
    const { finished, memory, events } = ready
    const refused = finished.findIndex(({ faults }) => faults.some(({ error }) => error === 'unauthorized'))
    if (refused >= 0) {
      const isBefore = ({ seq }: { readonly seq: number }) => seq < (finished[refused]?.seq ?? 0)
      const rest = finished.slice(0, refused)
      if (rest.length > 0) await this.#settleAll({ finished: rest, memory: memory.filter(isBefore), events: events.filter(isBefore) })
      const [error] = finished[refused]?.faults ?? []
      if (this.#state !== 'off' && error) {
        this.#o.report(error)
        await this.#yieldPart(error.detail)
      }
      return
    }
    const outcomes = outcomesOf(part, ready)
    const settled = await this.#settle(outcomes)
    if (settled && outcomes.over) await this.#o.engine.park(this.#o.run, this.#o.limits, outcomes.over)
    if (settled && outcomes.mustRestart) await this.#restart()
  }

  /** Other workers may have what this machine lacks, such as a key. */
  async #yieldPart(reason: string): Promise<void> {
    const { engine, run, part } = this.#o
    const process = this.#process
    this.#state = 'given up'
    this.#process = undefined
    this.#ready = []
    process?.kill()
    this.#answers?.close()
    await engine.yieldPart(part.id, this.#lease, reason)
    if (part.kind === 'owned') await engine.unclaim(run, part.id)
  }

  async #settle(outcomes: Outcomes): Promise<boolean> {
    const { engine, run, part, retrySeconds, warn } = this.#o
    const { done, again, back = [], parked = [], memory = [], events = [] } = outcomes
    const spent = this.#progress.takeSpent()
    const { tally, ...own } = settlementOf(outcomes, retrySeconds)
    const settlement: Settlement = {
      run,
      part: part.id,
      lease: this.#lease,
      ...own,
      memory: part.kind === 'owned' ? memory : undefined,
      events: this.#o.keep ? events : [],
      answers: done.flatMap(({ ord }) => (this.#answers?.take(this.#deliveryOf({ ord })) ?? []).map((answer) => ({ ...answer, ord }))),
      tally: { ...tally, ...spent },
    }
    // Those are answered again.
    for (const message of [...again, ...back, ...parked]) this.#answers?.take(this.#deliveryOf(message))
    const began = Date.now()
    const settled = await engine.settle(settlement)
    if (settled) this.#progress.count(settlement.tally)
    else this.#progress.spend(spent)
    if (settled) this.#o.onSettled(settlement, began)
    if (settled && events.length > 0) this.#o.onEvents(events)
    if (settled || this.#state === 'off') return settled
    warn(fault('lease_lost', `what '${part.name}' had in hand is another worker's by now; what came of it here is dropped`))
    await this.#restart()
    return false
  }

  /** Returns messages in flight; a new process gets the memory of the last settlement. */
  async #restart(): Promise<void> {
    const { engine, run, part } = this.#o
    const process = this.#process
    this.#process = undefined
    this.#ready = []
    process?.kill()
    this.#answers?.clear()
    const lease = this.#lease
    this.#lease = randomUUID()
    await engine.release(lease, false)
    if (part.isFixed) await engine.unclaim(run, part.id)
  }
}
