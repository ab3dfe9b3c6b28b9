// A process of its own behind the wires: an agent, a nested plumb, or a program that stands in for one.

import type { GraphPort, Sink, Stage } from '@plumb/lang'
import { type Child, type Exit, type Fault, fault, LineReader, LineWriter, parseJson, type Reporter } from '@plumb/wire'
import { ChildErrors } from './child-errors.js'
import { ChildInput } from './child-input.js'
import { ChildOutput } from './child-output.js'
import { Gate } from './gate.js'
import { Morphism } from './morphism/morphism.js'
import type { Cycle, Worker } from './quiescence.js'
import type { Schedule, Source } from './schedule.js'

/** Ports with descriptors of their own; all others are on stdin and stdout. */
const PORT_FDS: Readonly<Record<string, number>> = { ctrl_in: 6, ctrl_out: 7, telemetry: 3 }

export interface ChildOptions {
  readonly name: string
  readonly inputs: readonly GraphPort[]
  readonly outputs: readonly { readonly name: string; readonly stage: Stage }[]
  /** Several ports on one stream. */
  readonly isEnveloped: boolean
  /** An agent has ports on descriptors of their own; the ports of a plumb are all on stdin and stdout. */
  readonly hasPortFds: boolean
  readonly child: Child
  readonly schedule: Schedule
  readonly sink: Sink
  readonly reporter: Reporter
  readonly report: (fault: Fault) => void
  /** The cycle it stands in. */
  readonly cycle: Cycle | undefined
}

export class ChildProcess extends Morphism implements Worker {
  readonly #o: ChildOptions
  readonly #inputs: ChildInput[]
  readonly #sources: ChildOutput[] = []
  readonly #errors: ChildErrors
  /** By output: what has to have room before the child is read. */
  readonly gates: readonly Gate[]
  readonly exited: Promise<void>
  #settled: { inputs: number; controls: number; outputs: number } | undefined
  #sent = 0
  #controls = 0
  #received = 0
  #hasEnded = false
  #hasFailed = false
  #isStopping = false
  /** Messages that reached it after its end. */
  #dropped = 0

  constructor(feeds: readonly number[], options: ChildOptions) {
    super(feeds, options.outputs.length)
    this.#o = options
    this.gates = options.outputs.map(() => new Gate())
    this.#inputs = this.#openInputs()
    this.#errors = new ChildErrors(options.name, new LineReader(options.child.stderr, { raw: true }), options.reporter, options.report)
    this.#openOutputs()
    this.exited = options.child.exited.then((exit) => this.#ended(exit))
  }

  get inFlight(): number {
    if (this.#hasEnded) return this.#sources.filter((source) => !source.hasEnded).length
    const settled = this.#settled
    if (!settled) return Math.max(0, this.#sent - this.#received)
    const left = this.#sent - settled.inputs + (this.#controls - settled.controls)
    return Math.max(0, left) + Math.max(0, settled.outputs - this.#received)
  }

  writerFor(input: number): LineWriter | undefined {
    return this.#inputs[input]?.writer
  }

  receive(input: number, buf: Buffer, start: number, end: number): void {
    if (this.#hasEnded) {
      this.#dropped++
      return
    }
    const name = this.#o.inputs[input]?.name ?? ''
    if (this.#isControl(name)) this.#controls++
    else this.#sent++
    this.#inputs[input]?.send(name, buf, start, end)
    this.#o.cycle?.checkLimit()
  }

  /** Asks it to end at once; nobody wants what it still has to say. */
  stop(graceMs: number): Promise<void> {
    this.#giveUp()
    return this.#o.child.terminate(graceMs)
  }

  kill(): void {
    this.#giveUp()
    this.#o.child.kill('SIGKILL')
  }

  #giveUp(): void {
    this.#isStopping = true
    for (const source of this.#sources) source.end()
  }

  protected override inputClosed(input: number): void {
    this.#inputs[input]?.close(this.#o.inputs[input]?.name ?? '')
  }

  // Its outputs close when it has ended, or closed them.
  protected override finish(): void {
    if (this.#o.inputs.length === 0) void this.#o.child.stdin.end()
  }

  #isControl(name: string): boolean {
    return this.#o.hasPortFds && name === 'ctrl_in'
  }

  #openInputs(): ChildInput[] {
    const { inputs, child, isEnveloped, hasPortFds } = this.#o
    const onStdin = inputs.filter((p) => !this.#isControl(p.name)).map((p) => p.name)
    const data = new ChildInput(this.#writer(new LineWriter(child.stdin)), onStdin, isEnveloped)
    return inputs.map(({ name }) => {
      const fd = hasPortFds ? PORT_FDS[name] : undefined
      const stream = fd === undefined ? undefined : child.fds.get(fd)
      return stream && 'write' in stream ? new ChildInput(this.#writer(new LineWriter(stream)), [name], false) : data
    })
  }

  #writer(writer: LineWriter): LineWriter {
    writer.onDrain = () => this.#o.schedule.wake()
    return writer
  }

  #openOutputs(): void {
    const { outputs, child, hasPortFds } = this.#o
    const ports = outputs.map((port, i) => ({ ...port, outlet: this.outlets[i] as Morphism['outlets'][number], gate: this.gates[i] as Gate }))
    const onStdout = ports.filter((p) => !hasPortFds || PORT_FDS[p.name] === undefined)
    this.#listen(new LineReader(child.stdout), onStdout, true)
    for (const port of ports) {
      const fd = hasPortFds ? PORT_FDS[port.name] : undefined
      const stream = fd === undefined || fd === 3 ? undefined : child.fds.get(fd)
      if (stream && 'read' in stream) this.#listen(new LineReader(stream), [port], false)
    }
    const telemetry = child.fds.get(3)
    if (telemetry && 'read' in telemetry) this.#listenToTelemetry(new LineReader(telemetry), ports.find((p) => hasPortFds && p.name === 'telemetry'))
  }

  #listen(reader: LineReader, ports: readonly (ConstructorParameters<typeof ChildOutput>[0]['ports'][number] & { gate: Gate })[], isCounted: boolean): void {
    const { name, schedule, sink, report, isEnveloped } = this.#o
    const counted = isCounted ? () => this.#received++ : () => {}
    const gate = { isOpen: () => ports.every((p) => p.gate.isOpen()) } as Gate
    const source = new ChildOutput({ process: name, reader, ports, isEnveloped: isEnveloped && isCounted, gate, sink, report, counted })
    reader.onReadable = () => schedule.wake()
    schedule.addSource(source)
    this.#sources.push(source)
  }

  // Always read, full or not: what it says of itself must not stop it.
  #listenToTelemetry(reader: LineReader, port: { outlet: Morphism['outlets'][number] } | undefined): void {
    const { schedule } = this.#o
    const source: Source = {
      canRun: () => !reader.hasEnded,
      step: () => {
        if (!reader.next()) {
          if (reader.hasEnded) port?.outlet.close()
          return false
        }
        if (!reader.fault && !this.#settles(reader)) port?.outlet.send(reader.buf, reader.start, reader.end)
        return true
      },
    }
    reader.onReadable = () => schedule.wake()
    schedule.addSource(source)
  }

  #settles({ buf, start, end }: LineReader): boolean {
    if (!buf.subarray(start, Math.min(end, start + 64)).includes('settled')) return false
    const parsed = parseJson(buf, start, end)
    if (!parsed.ok) return false
    const { kind, inputs, controls, outputs } = parsed.value as Record<string, unknown>
    if (kind !== 'settled') return false
    this.#settled = { inputs: Number(inputs), controls: Number(controls), outputs: Number(outputs) }
    return true
  }

  // What it wrote before it ended may still wait for room behind it. A pipe that a grandchild holds open is closed by whoever spawned the child.
  async #ended({ status, signal }: Exit): Promise<void> {
    const { name, report, inputs, schedule } = this.#o
    const wasFed = inputs.some((_, i) => this.isOpen(i))
    this.#hasEnded = true
    schedule.wake()
    await Promise.all(this.#sources.map((source) => source.ended))
    const hasFailed = signal !== null || (status !== 0 && (wasFed || this.#errors.reported === 0))
    if (hasFailed && !this.#isStopping) {
      this.#hasFailed = true
      const how = signal === null ? `ended with status ${status}` : `was ended by ${signal}`
      const unanswered = this.#settled ? this.#sent - this.#settled.inputs : this.#sent - this.#received
      const left = unanswered > 0 ? `; ${unanswered} of the ${this.#sent} messages it was sent are not answered` : ''
      const words = this.#errors.last === '' ? {} : { stderr: this.#errors.last }
      report(fault('child_failed', `'${name}' ${how}${left}`, { process: name, ...(signal === null ? { status } : { signal }), ...words }))
    }
    schedule.wake()
  }

  /** At the end of the run: what was lost on a child that had failed. */
  reportDropped(): void {
    if (!this.#hasFailed || this.#dropped === 0) return
    const { name, report } = this.#o
    report(fault('child_failed', `${this.#dropped} messages reached '${name}' after it had ended`, { process: name, dropped: this.#dropped }))
  }
}
