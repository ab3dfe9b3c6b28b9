// One agent from start to end: loaded, configured, connected to its descriptors, and ended in good order.

import { ReadStream, statSync } from 'node:fs'
import { type Diagnostic, toShown } from '@plumb/lang'
import {
  dieOf,
  type Fault,
  FDS,
  fault,
  inheritedFds,
  isDebugging,
  LineReader,
  type Log,
  onStop,
  openInput,
  openLog,
  preview,
  readControl,
  readSpec,
  type StopSignal,
} from '@plumb/wire'
import { type Config, readConfig } from './config.js'
import { openConversation } from './conversation.js'
import { openIntake } from './intake.js'
import { loadAgent } from './load.js'
import { Loop } from './loop.js'
import type { Options } from './options.js'
import { openOutlets } from './outlets.js'
import { grammar } from './resource/grammar.js'
import { system } from './resource/system.js'
import { openStderr, type Stderr } from './stderr.js'
import { openTelemetry } from './telemetry.js'

/** Resolves to the exit status when everything has been written. Dies of the signal that stopped it. */
export const run = async (options: Options, program: string): Promise<number> => {
  const stderr = openStderr(program)
  const { config, fds } = prepare(options, stderr)
  const log = isDebugging() ? await openLog(program, stderr.write) : SILENT
  const signal = config && (await converse(config, fds, options, stderr, log))
  const status = await stderr.end()
  if (signal) dieOf(signal)
  return config ? status : 2
}

const SILENT: Log = () => {}

// Everything that is wrong is told; nothing is read from stdin before all is right.
const prepare = (options: Options, stderr: Stderr): { config: Config | undefined; fds: ReadonlySet<number> } => {
  const { plan, diagnostics, faults } = loadAgent(options, process.env.PLUMB_PATH)
  const surroundings = { env: process.env, installed: { 'system.md': system, 'grammar.peg': grammar }, readText: readSpec }
  const configured = plan && readConfig(plan, options, surroundings)
  const fds = inheritedFds(options.fds)

  for (const diagnostic of diagnostics) stderr.write(toShown(diagnostic, process.env.PLUMB_ERRORS === 'json'))
  const docroot = checkDocroot(options.docroot)
  const others = [...faults, ...(configured?.faults ?? []), ...(fds.ok ? [] : [fds.error]), ...docroot]
  for (const error of others) if (!isTold(error, diagnostics)) stderr.report(error)
  return { config: diagnostics.length + others.length === 0 ? configured?.config : undefined, fds: fds.ok ? fds.value : new Set() }
}

// Tools alone use it, but a name that is wrong is wrong now.
const checkDocroot = (path: string | undefined): Fault[] => {
  if (path === undefined || isFolder(path)) return []
  return [fault('file_not_found', `--docroot names '${preview(path)}', which is no folder`)]
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

// A key whose value the compiler refused is not missing.
const isTold = ({ error, detail }: Fault, diagnostics: readonly Diagnostic[]): boolean =>
  error === 'missing_option' && diagnostics.some(({ message }) => KEYS.some((key) => message.startsWith(key) && detail.includes(key)))

const KEYS = ["'provider'", "'model'"]

const converse = (
  config: Config,
  fds: ReadonlySet<number>,
  options: Options,
  stderr: Stderr,
  log: Log,
): Promise<StopSignal | undefined> => {
  const { isMux, isRawInput, isRawOutput, takesEnvelopes, maxLineBytes } = options
  const outlets = openOutlets({ fds, isMux, takesEnvelopes, isRawOutput, hasTelemetry: config.hasTelemetry })
  const tell = openTelemetry(config.agent, outlets.writeTelemetry)
  const stdin = openInput(FDS.input)
  const reader = new LineReader(stdin, { raw: isRawInput, ...(maxLineBytes === undefined ? {} : { maxLine: maxLineBytes }) })
  const control = fds.has(FDS.ctrl_in) ? openInput(FDS.ctrl_in) : undefined

  return new Promise((resolve) => {
    let signal: StopSignal | undefined
    // Whoever read the outputs has gone: that ends it as it ends cat, and an answer that was being made for nobody is no error.
    let isHeard = true
    // A stdin that is held back, as while paused, does not keep Node running.
    const alive = setInterval(() => {}, 2 ** 30)
    const finish = async () => {
      clearInterval(alive)
      forgetSignals()
      reader.stop()
      control?.destroy()
      await outlets.end()
      resolve(signal)
    }
    const loop = new Loop({
      config,
      conversation: openConversation(config, tell, log),
      intake: openIntake(reader, isMux ? 'mux' : takesEnvelopes && !isRawInput ? 'mixed' : 'data'),
      outlets,
      tell,
      report: (error) => {
        outlets.output.flush()
        if (isHeard) stderr.report(error)
      },
      onFinish: finish,
    })
    const giveUp = () => {
      loop.cancel()
      loop.stop()
    }
    const forgetSignals = onStop(
      (first) => {
        signal = first
        loop.stop()
      },
      () => giveUp(),
    )
    outlets.output.onClosed = () => {
      isHeard = false
      giveUp()
    }
    outlets.output.onFault = (error) => {
      stderr.report(error)
      giveUp()
    }
    outlets.onDrain = () => loop.advance()
    reader.onReadable = () => loop.advance()
    if (control) {
      readControl(
        control,
        (message) => loop.control(message),
        (error) => loop.badControl(error),
        () => loop.endControl(),
      )
    }
    loop.start(control === undefined ? 'none' : control instanceof ReadStream ? 'willEnd' : 'open')
  })
}
