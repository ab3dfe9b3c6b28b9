// Runs another executable of the project to its end, and returns its output.

import { childEnv, fail, type PlumbProgram, type Result, siblingProgram, spawnChild, succeed } from '@plumb/wire'

export interface ProgramOutput {
  readonly stdout: string
  readonly stderr: string
  readonly status: number
}

const RUN_TIMEOUT_MS = 60_000
const MAX_BYTES = 16 * 1024 * 1024

/** Fails with `timeout` or `overflow` when the program exceeds its bounds. The caller checks the exit status. */
export const runSibling = async (program: PlumbProgram, args: readonly string[]): Promise<Result<ProgramOutput>> => {
  const child = spawnChild({ command: [siblingProgram(program), ...args], env: childEnv('ours'), isForeign: false })
  if (!child.ok) return child
  const { stdin, stdout, stderr, exited, kill } = child.value
  stdin.end()
  let why: 'timeout' | 'overflow' | undefined
  const killFor = (reason: typeof why): void => {
    why ??= reason
    kill('SIGKILL')
  }
  let bytes = 0
  const collect = (stream: NodeJS.ReadableStream): (() => string) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES) killFor('overflow')
      else chunks.push(chunk)
    })
    return () => Buffer.concat(chunks).toString('utf8')
  }
  const [out, err] = [collect(stdout), collect(stderr)]
  const timer = setTimeout(() => killFor('timeout'), RUN_TIMEOUT_MS)
  const { status } = await exited
  clearTimeout(timer)
  if (why !== undefined) return fail(why, `'${program} ${args[0] ?? ''}' did not come to an end, and was ended`)
  return succeed({ stdout: out(), stderr: err(), status: status ?? 1 })
}
