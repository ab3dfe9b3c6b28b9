// Without a terminal on stdin: lines of text in, answers as lines of text out.

import {
  childEnv,
  dieOf,
  type Fault,
  fault,
  onStop,
  openDataOutput,
  openInput,
  type StopSignal,
  siblingProgram,
  spawnChild,
  systemReason,
} from '@plumb/wire'
import type { ChatProgram } from './program/program.js'

/** Resolves to the exit status of the program. When a signal stopped it, this process dies of the same signal. */
export const filter = async (program: ChatProgram, args: readonly string[], report: (fault: Fault) => void): Promise<0 | 1 | 2> => {
  const { runs, binding, input } = program
  const words = runs === 'plumb' ? ['run', '--binding', binding] : ['--agent', binding, '--fds', 'none']
  const child = spawnChild({
    command: [siblingProgram(runs), ...words, '--no-envelopes', ...(input.isText ? ['-R'] : []), '-r', ...args],
    // Its errors go where those of this process would.
    env: { ...childEnv('ours'), ...(process.env.PLUMB_ERRORS === undefined ? {} : { PLUMB_ERRORS: process.env.PLUMB_ERRORS }) },
    isForeign: false,
    inheritsStderr: true,
  })
  if (!child.ok) {
    report(child.error)
    return 2
  }
  const { stdin, stdout, exited, kill, terminate } = child.value
  const [source, target] = [openInput(0), openDataOutput(1)]
  let stoppedBy: StopSignal | undefined
  let isReaderGone = false
  const forget = onStop(
    (signal) => {
      stoppedBy = signal
      kill(signal)
    },
    () => kill('SIGKILL'),
  )
  source.on('error', (error) => {
    report(fault('read_failed', `cannot read: ${systemReason(error)}`))
    stdin.end()
  })
  // The last output may still be on its way when the program has ended.
  const written = new Promise<void>((resolve) => {
    target.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') report(fault('write_failed', `cannot write: ${systemReason(error)}`))
      isReaderGone = true
      void terminate(GRACE_TIMEOUT_MS)
      resolve()
    })
    target.on('finish', resolve)
  })
  source.pipe(stdin)
  stdout.pipe(target)
  const { status } = await exited
  source.destroy()
  if (!isReaderGone) target.end()
  await written
  forget()
  if (stoppedBy) dieOf(stoppedBy)
  if (isReaderGone) return 0
  return status === 0 ? 0 : status === 2 ? 2 : 1
}

const GRACE_TIMEOUT_MS = 2000
