// Where a replayed record goes: to stdout or descriptors when there is no command, else to one stream for each port of the command.

import { PassThrough, type Readable } from 'node:stream'
import { type Fault, FDS, type FdName, LineReader, openDataOutput } from '@plumb/wire'
import { Demultiplexer } from './demultiplexer.js'
import { oncePerTurn } from './once-per-turn.js'
import { OutputQueue } from './output-queue.js'
import { ALL_FDS, fdPortsOf } from './port.js'
import { MAX_ENVELOPE_BYTES } from './session.js'

type Report = (fault: Fault) => void

/** Copies envelopes to stdout as they are; with `fds`, each message to the descriptor of its port, where `fds` has it. */
export const playBack = (envelopes: Readable, fds: ReadonlySet<number> | undefined, maxLine: number, report: Report): Promise<void> => {
  return fds ? copyToDescriptors(envelopes, fds, maxLine, report) : copyToStdout(envelopes, maxLine, report)
}

/** Returns a stream for each inward port of a command, with the messages of the envelopes for it. */
export const splitPorts = (envelopes: Readable, maxLine: number, report: Report): ReadonlyMap<FdName, Readable> => {
  const outputs = new Map(fdPortsOf('in', ALL_FDS).map((port) => [port, new PassThrough()]))
  new Demultiplexer({ input: envelopes, outputs, ...limits(maxLine), direction: 'in', tee: undefined, report })
  return outputs
}

const limits = (maxLine: number) => ({ maxLine, maxEnvelope: maxLine + MAX_ENVELOPE_BYTES })

const copyToDescriptors = (input: Readable, fds: ReadonlySet<number>, maxLine: number, report: Report): Promise<void> => {
  const open = fdPortsOf('out', fds)
  const outputs = new Map(fdPortsOf('out', ALL_FDS).map((port) => [port, open.includes(port) ? openDataOutput(FDS[port]) : null]))
  return new Demultiplexer({ input, outputs, ...limits(maxLine), direction: 'out', tee: undefined, report, onOutputFault: report }).ended
}

const NOTHING = Buffer.alloc(0)
const LF = Buffer.from('\n')
const MAX_QUEUED_BYTES = 64 * 1024

const copyToStdout = (input: Readable, maxLine: number, report: Report): Promise<void> => {
  const pump = oncePerTurn(() => {
    while (queue.queuedBytes < MAX_QUEUED_BYTES && reader.next()) queue.add(NOTHING, reader.buf, reader.start, reader.end, LF)
    queue.flush()
    if (reader.hasEnded) queue.end()
  })
  const queue = new OutputQueue(openDataOutput(FDS.output), {
    onRoom: pump,
    onClosed: () => reader.stop(),
    onFault: (error) => {
      report(error)
      reader.stop()
    },
  })
  const reader = new LineReader(input, { maxLine: limits(maxLine).maxEnvelope, onReadable: pump })
  return queue.ended
}
