// Targets for escapes: directories with secrets, listeners and a process, all outside the sandbox and removed afterwards.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnChild } from '@plumb/wire'
import { sandboxCacheDirectory } from '../plan/sandbox-cache.js'
import type { Arch } from '../seccomp/refused-calls.js'

/** A marker that no program prints by chance. */
export const ESCAPED = 'GOT-THROUGH'

export interface EscapeFixture {
  readonly arch: Arch
  readonly bwrap: string
  readonly docroot: string
  /** In the docroot; its tool `sh` is /bin/sh -c. */
  readonly spec: string
  readonly home: string
  readonly outside: string
  readonly socket: string
  /** Name of an abstract unix socket: it begins with a NUL character. */
  readonly abstract: string
  readonly port: number
  /** Pid of a process outside the sandbox. */
  readonly neighbour: number
  /** Writes an executable into the docroot and returns its path. */
  readonly place: (program: Uint8Array) => string
}

const SLEEP_SECONDS = '300'
const GRACE_MS = 100

/** Sets the targets up, runs `work`, and removes them. */
export const withFixture = async <T>(
  box: Pick<EscapeFixture, 'arch' | 'bwrap'>,
  work: (ground: EscapeFixture) => T | Promise<T>,
): Promise<T> => {
  const base = makeBase()
  const [docroot, home, outside] = ['work', 'home', 'outside'].map((name) => join(base, name)) as [string, string, string]
  for (const directory of [join(docroot, 'out/.git'), join(home, '.ssh'), outside]) mkdirSync(directory, { recursive: true })
  writeFileSync(join(docroot, 'out/.git/config'), '')
  writeFileSync(join(home, '.ssh/id_rsa'), ESCAPED)
  writeFileSync(join(home, '.bashrc'), '')
  writeFileSync(join(outside, 'secret'), ESCAPED)
  const spec = join(docroot, 's.plumb')
  writeFileSync(spec, 'let sh : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", sandbox: {} }\n')
  const [socket, abstract] = [join(outside, 'socket'), `\0plumb-${process.pid}`]
  const servers: Server[] = []
  const listen = async (at: string | number): Promise<Server> => {
    const server = createServer()
    servers.push(server)
    await new Promise<void>((done, fail) =>
      server.on('error', fail).listen(typeof at === 'number' ? { port: at, host: '127.0.0.1' } : { path: at }, done),
    )
    return server
  }
  const neighbour = spawnChild({ command: ['/bin/sleep', SLEEP_SECONDS], env: { CANARY: ESCAPED }, isForeign: false })
  try {
    await listen(socket)
    await listen(abstract)
    const { port } = (await listen(0)).address() as { port: number }
    let count = 0
    const place = (program: Uint8Array): string => {
      const path = join(docroot, `call-${++count}`)
      writeFileSync(path, program)
      chmodSync(path, 0o755)
      return path
    }
    return await work({
      ...box,
      docroot,
      spec,
      home,
      outside,
      socket,
      abstract,
      port,
      neighbour: neighbour.ok ? neighbour.value.pid : 0,
      place,
    })
  } finally {
    for (const server of servers) server.close()
    if (neighbour.ok) await neighbour.value.terminate(GRACE_MS)
    rmSync(base, { recursive: true, force: true })
  }
}

// Not in /tmp if possible: a sandbox has a /tmp of its own, so escapes there would prove nothing.
const makeBase = (): string => {
  for (const directory of [sandboxCacheDirectory(), tmpdir()]) {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      return realpathSync(mkdtempSync(join(directory, 'try-')))
    } catch {
      // Try the next directory.
    }
  }
  throw new Error(`no directory can be made in ${tmpdir()}`)
}
