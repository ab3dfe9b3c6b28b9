// plumb run: wires a binding up, lets it run until it is quiet, and ends in good order in every case.
//
//   state               event                                                    next
//   reading             a signal, the deadline, an error under --fail-fast       draining: input closes, what is in flight has GRACE_MS
//                       the program that keeps its record has ended
//   reading, draining   all outputs of main have closed                          ended: children exit, what was written is flushed
//   any                 an error that ends the run, standard output has closed   aborted: children are ended, and errors are left out
//   any                 a second signal, GRACE_MS has ended                        aborted, and what is not written yet is dropped

import type { Bound, Graph } from '@plumb/lang'
import { joinBudget } from '@plumb/ledger'
import {
  dieOf,
  type Fault,
  FDS,
  fault,
  isShared,
  joinDeliveries,
  LineReader,
  LineWriter,
  mayBeInherited,
  onStop,
  openLineInput,
  openOutput,
  openStateFile,
  Reporter,
  type Result,
  SharedFaults,
  type StopSignal,
  succeed,
  writeStdout,
} from '@plumb/wire'
import { openBoxes } from '../child/agent-sandboxes.js'
import type { SpawnSettings } from '../child/agent-start.js'
import { openForeignPrices } from '../child/allowance.js'
import { type Display, openDisplay } from '../display/display.js'
import { deferred } from '../graph/deferred.js'
import { rangesOf } from '../graph/input-context.js'
import { findDocroot } from '../options/docroot.js'
import { envelopesOf, loadingOptions, type RunOptions } from '../options/run-options.js'
import type { Instrumentation } from '../record/instrumentation.js'
import { openKeptAnswers } from '../record/kept-answers.js'
import type { RecordDirectory } from '../record/recorder.js'
import { type LoadedSpec, loadSpec, refuseDiagnostics, refuseErrors } from '../spec/load.js'
import { openToolServices, servesTools } from '../tools/dispatch.js'
import { mapsTools, openMappedTools } from '../tools/mapped-tools.js'
import { openAuthoritySource } from '../tools/permissions.js'
import { openAsking, openPeopleOf } from './asking.js'
import { checkAgents } from './check-agents.js'
import { chooseGraph } from './choose-graph.js'
import { emitBegin, instrument, NOT_INSTRUMENTED } from './instrument.js'
import { keptFromTools } from './kept-from-tools.js'
import { noticeHoldings, noticeInput, noticeRecord, noticeStop } from './notices.js'
import { numberedFor, RunLoop } from './run-loop.js'
import type { Wired } from './wired.js'
import { type WiringOptions, wireUp } from './wiring.js'

/** Time for messages in flight after the first signal. */
const GRACE_MS = 5000
/** Time between the request to end a child and its kill. */
const CHILD_GRACE_MS = 2000

/** Resolves to the exit status; a run that was stopped by a signal dies of it. */
export const run = async (path: string | undefined, options: RunOptions): Promise<number> => {
  const display = await openDisplay(options)
  const reporter = new Reporter('plumb', () => display.openStderr())
  const died = await start(path, options, reporter, display)
  await reporter.end()
  if (died) dieOf(died)
  return reporter.status
}

const start = async (
  path: string | undefined,
  options: RunOptions,
  reporter: Reporter,
  display: Display,
): Promise<StopSignal | undefined> => {
  const loaded = await loadSpec(path, loadingOptions(options))
  if (!loaded.ok) {
    reporter.report(loaded.error)
    return undefined
  }
  if (refuseErrors(loaded.value, reporter)) return undefined
  const chosen = await chooseGraph(loaded.value.compiled.program, options)
  if (!chosen.ok) return void reporter.report(chosen.error)
  const { bound, graph, lacks, diagnostics } = chosen.value
  if (lacks.length + diagnostics.length === 0) return new Run(bound, graph, options, reporter, display).go(loaded.value, path ?? '')
  for (const { code, message, need } of lacks) reporter.report(fault(code, message, { process: need.by }))
  if (diagnostics.length > 0) refuseDiagnostics(reporter, diagnostics)
  return undefined
}

class Run {
  #wired: Wired | undefined
  #openOutputs = 0
  #state: 'reading' | 'draining' | 'ended' | 'aborted' = 'reading'
  /** Resolved when no more output comes: ended or aborted. */
  readonly #ended = deferred()
  /** Resolved when the output is no longer waited for. */
  readonly #givenUp = deferred()
  /** Started with the first reason to drain. */
  #grace: NodeJS.Timeout | undefined
  #instruments: Instrumentation | undefined
  #asking: Awaited<ReturnType<typeof openAsking>> = {}
  readonly #reader: LineReader
  readonly #writer: LineWriter
  readonly #telemetryLines: LineWriter | null
  readonly #loop: RunLoop
  readonly #shared = new SharedFaults((fault) => this.#print(fault), rangesOf)

  constructor(
    private readonly bound: Bound,
    private readonly graph: Graph,
    private readonly options: RunOptions,
    private readonly reporter: Reporter,
    private readonly display: Display,
  ) {
    this.#reader = new LineReader(openLineInput(0), {
      maxLine: options.lines.maxLine,
      raw: options.lines.rawInput,
      onReadable: () => this.#loop.wake(),
      onOversize: (piece, isEnd) => this.#instruments?.rejects?.rejectPiece(piece, isEnd),
    })
    this.#writer = new LineWriter(display.openStdout(), {
      raw: options.lines.rawOutput,
      onDrain: () => this.#loop.wake(),
      onClosed: () => this.#readerGone(),
      onFault: (f) => this.#fail(f),
    })
    // A descriptor that the parent did not open may be one of Node's own by now.
    const tells = options.parent.telemetry && !options.lines.isNumbered && mayBeInherited(FDS.telemetry)
    this.#telemetryLines = tells ? new LineWriter(openOutput(FDS.telemetry)) : null
    this.#loop = new RunLoop({
      name: bound.name,
      writer: this.#writer,
      telemetry: this.#telemetryLines,
      numbered: numberedFor(options),
      reporter,
    })
  }

  async go(loaded: LoadedSpec, spec: string): Promise<StopSignal | undefined> {
    const { bootstrap } = loaded
    const { options, graph } = this
    const { permissions, parent: given } = options
    const files = keptFromTools(loaded.files, options)
    this.#openOutputs = graph.nodes.filter((n) => n.work.kind === 'output').length
    const report = (f: Fault) => this.#report(f)
    const docroot = permissions.docroot === undefined ? succeed(undefined) : findDocroot(permissions.docroot)
    if (!docroot.ok) return this.#refuse(docroot.error)
    const authoritySource = await openAuthoritySource(permissions, bootstrap, servesTools(graph) || mapsTools(graph))
    if (!authoritySource.ok) return this.#refuse(authoritySource.error)
    const budget = given.budgetFd === undefined ? succeed(undefined) : joinBudget(given.budgetFd)
    if (!budget.ok) return this.#refuse(budget.error)
    if (options.run.isDry) {
      const settings = { options, ...NOT_INSTRUMENTED, files, docroot: docroot.value, authoritySource: authoritySource.value, report }
      const { dryRun } = await import('./dry-run.js')
      return this.#showDry(dryRun({ graph, settings, permissions, files }))
    }
    const openListeners = async (record: RecordDirectory | undefined) => {
      const shown = await this.display.openListeners(this.reporter, record, report)
      if (!shown.ok || given.eventsFd === undefined) return shown
      return succeed([...shown.value, (await import('../event/event-log.js')).eventLog(given.eventsFd)])
    }
    const { bound, reporter } = this
    const opened = await instrument({ bound, reporter, graph, spec, loaded, options, openListeners, report, warn: (f) => reporter.warn(f) })
    if (!opened.ok) return this.#refuse(opened.error)
    const { emitter, rejects: _, budget: __, parked: ___, ...recorded } = opened.value
    this.#instruments = opened.value
    const kept = await openKeptAnswers(graph, options, recorded.secrets)
    if (!kept.ok) return this.#refuse(kept.error)
    const state = given.stateFd === undefined ? succeed(undefined) : openStateFile(given.stateFd)
    if (!state.ok) return this.#refuse(state.error)
    const parent = given.telemetry ? (this.#telemetryLines ?? this.#loop.lines?.telemetry) : undefined
    this.#asking = await openAsking(options, (line) => this.#writer.writeText(line))
    const settings = {
      options,
      ...recorded,
      files,
      docroot: docroot.value,
      authoritySource: authoritySource.value,
      report,
      emitter,
      emitToParent: parent && ((json: string) => parent.writeText(json)),
      tellParent: (json: string) => (parent ?? this.#loop.lines?.telemetry)?.writeText(json),
      costOf: this.display.costOf,
      prices: await openForeignPrices(graph, options.programs.agent),
      withoutLiveLines: this.display.withoutLiveLines,
      askPerson: this.#asking.approve,
      boxes: undefined as SpawnSettings['boxes'],
      state: state.value,
      deliveries: given.deliveryFd === undefined ? undefined : joinDeliveries(given.deliveryFd),
    }
    const people = await openPeopleOf(graph, settings, this.#asking)
    if (!people.ok) return this.#refuse(people.error)
    settings.boxes = await openBoxes(graph, settings, this.reporter)
    if (!settings.boxes || !(await checkAgents(graph, settings, this.reporter))) return this.#refuse()
    const tools = await openToolServices(graph, settings, this.reporter)
    if (!tools.ok) return this.#refuse(...tools.error)
    const mapped = await openMappedTools(graph, settings, this.reporter)
    if (!mapped.ok) {
      for (const service of tools.value.values()) void service.close()
      return this.#refuse(...mapped.error)
    }
    if (emitter) await emitBegin(emitter, graph, spec, options)
    const wired = this.#wire({ settings, startHere: people.value, tools: tools.value, mapped: mapped.value, parent })
    if (wired.ok) {
      this.#wired = wired.value
      return this.#runThrough(wired.value)
    }
    for (const service of [...tools.value.values(), ...mapped.value.values()]) void service.close()
    this.#refuse(wired.error)
    await this.#finish(undefined)
    return undefined
  }

  #wire(parts: Pick<WiringOptions, 'settings' | 'startHere' | 'tools' | 'mapped' | 'parent'>): Result<Wired> {
    const { emitter, rejects } = this.#instruments ?? {}
    return wireUp({
      ...parts,
      graph: this.graph,
      reader: this.#reader,
      writer: this.#writer,
      schedule: this.#loop.schedule,
      reporter: this.reporter,
      report: (f) => this.#report(f),
      envelopes: envelopesOf(this.options.lines),
      isOfCommand: true,
      hasSeq: this.options.lines.hasSeq,
      lines: this.#loop.lines,
      current: this.#loop.current,
      emitter,
      rejects,
      handled: (f) => emitter?.emit({ kind: 'fault', fault: f, isHandled: true }),
      outputClosed: () => this.#outputClosed(),
      fail: (f) => this.#fail(f),
    })
  }

  async #showDry(text: Result<string>): Promise<undefined> {
    const failure = text.ok ? await writeStdout(text.value) : text.error
    return failure ? this.#refuse(failure) : this.#refuse()
  }

  async #finish(stoppedBy: StopSignal | undefined): Promise<void> {
    this.#asking.close?.()
    this.#shared.flush()
    const { emitter, rejects } = this.#instruments ?? {}
    rejects?.flush()
    emitter?.emit({ kind: 'end', status: this.reporter.status, stoppedBy: stoppedBy ?? null })
    await emitter?.finish()
    this.#instruments?.release()
  }

  /** Nothing was started. */
  #refuse(...errors: readonly Fault[]): undefined {
    for (const error of errors) this.reporter.report(error)
    this.#reader.stop()
    return undefined
  }

  async #runThrough(wired: Wired): Promise<StopSignal | undefined> {
    const { children } = wired
    let stoppedBy: StopSignal | undefined
    const { budget, parked } = this.#instruments ?? {}
    const onDeadline = () => {
      budget?.end()
      this.#closeInput()
    }
    const deadline = budget?.deadlineMs === undefined ? undefined : setTimeout(onDeadline, budget.deadlineMs)
    const inFlight = () => children.reduce((sum, child) => sum + child.inFlight, 0)
    const stopListening = onStop(
      (signal) => {
        stoppedBy = signal
        this.#closeInput()
        if (signal === 'SIGINT') noticeStop(inFlight(), GRACE_MS, this.reporter)
      },
      () => this.#forceStop(0),
    )
    // Node exits with status 0 when nothing is left to wait for: a bug must not look like success.
    const onStall = () => this.#fail(fault('internal', 'the run has not ended, and there is nothing left that it could wait for'))
    const reportHoldings = () => void noticeHoldings(wired.holdings(), this.reporter)
    process.on('SIGQUIT', reportHoldings)
    process.once('beforeExit', onStall)
    noticeInput(this.bound, this.options, this.reporter)
    this.#loop.begin(wired)
    await this.#ended.promise
    await this.#loop.end(wired)
    const hasFailed = children.some((child) => child.hasFailed)
    for (const child of children) child.cutOff(hasFailed)
    this.#loop.schedule.stop()
    await Promise.race([this.#flush(), this.#givenUp.promise])
    clearTimeout(this.#grace)
    clearTimeout(deadline)
    if (budget?.fault) this.#printFault(budget.fault)
    if (parked?.fault) this.#printFault(parked.fault)
    if (stoppedBy) noticeRecord(this.graph, this.options, this.reporter)
    await this.#finish(stoppedBy)
    stopListening()
    process.off('SIGQUIT', reportHoldings)
    process.off('beforeExit', onStall)
    return stoppedBy
  }

  async #flush(): Promise<void> {
    await this.#writer.end()
    this.#loop.flushed()
    await this.#telemetryLines?.end()
  }

  /** What is asked already for a record that a program keeps is in it when the program goes on with it. */
  #readerGone(): void {
    const { lines, recording } = this.options
    if (lines.isNumbered && (recording.record ?? recording.resume) !== undefined) this.#closeInput()
    else this.#abort(CHILD_GRACE_MS)
  }

  #outputClosed(): void {
    this.#openOutputs--
    if (this.#openOutputs > 0) return
    // Before another line is read, whose output could not be written.
    this.#wired?.input.end()
    if (this.#state !== 'aborted') this.#state = 'ended'
    this.#ended.resolve()
  }

  /** Closes the input; messages in flight may finish. Idempotent. */
  #closeInput(): void {
    if (!this.#wired) return
    if (this.#state === 'reading') this.#state = 'draining'
    this.#grace ??= setTimeout(() => this.#forceStop(CHILD_GRACE_MS), GRACE_MS)
    this.#wired.input.end()
    this.#loop.wake()
  }

  #report(f: Fault): void {
    if (this.#state === 'aborted') return
    const { rejects, budget, parked } = this.#instruments ?? {}
    if (parked?.takes(f)) return
    rejects?.reject(f)
    if (!budget?.takes(f)) this.#printFault(f)
    // Further input would give no output.
    else this.#wired?.input.end()
    if (f.error === 'budget_spent' && f.limit !== 'max_cost') for (const child of this.#wired?.children ?? []) child.overrun.beginSoon()
    if (this.options.run.isFailFast) this.#closeInput()
  }

  #printFault(f: Fault): void {
    if (this.#loop.takes(f)) {
      this.#instruments?.emitter?.emit({ kind: 'fault', fault: f })
      return this.reporter.count(f)
    }
    if (isShared(f)) return this.#shared.add(f)
    this.#shared.flush()
    this.#print(f)
  }

  #print(f: Fault): void {
    this.#instruments?.emitter?.emit({ kind: 'fault', fault: f })
    this.reporter.report(f)
  }

  /** The run cannot continue: reports the cause, and ends everything. */
  #fail(f: Fault): void {
    // A child that has reported an error in its configuration exits with that status: it is one cause.
    if (f.error === 'child_failed' && f.status === 2 && this.reporter.status === 2) this.#instruments?.rejects?.reject(f)
    else this.#report(f)
    this.#abort(CHILD_GRACE_MS)
  }

  /** The time of messages in flight has ended. */
  #forceStop(graceMs: number): void {
    for (const child of this.#wired?.children ?? []) child.reportUnfinished()
    for (const call of this.#wired?.calls ?? []) call.reportUnfinished()
    this.#abort(graceMs)
    this.#givenUp.resolve()
  }

  #abort(graceMs: number): void {
    this.#state = 'aborted'
    this.#loop.schedule.stop()
    this.#wired?.input.abandon()
    for (const call of this.#wired?.calls ?? []) void call.stop()
    for (const child of this.#wired?.children ?? []) {
      if (graceMs === 0) child.kill()
      else void child.stop(graceMs)
    }
    this.#ended.resolve()
  }
}
