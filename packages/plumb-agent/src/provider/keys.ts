// Where the key of a request comes from: a variable, or a command that is run when a model is first asked.

import { fail, type Result, succeed } from '@plumb/wire'
import type { Cancelled } from './cancellation.js'
import type { KeyCommandWords } from './key-words.js'

export interface Keys {
  /** For a request that is sent now; undefined: the server needs none. */
  readonly get: () => Result<string | undefined> | Promise<Result<string | undefined>>
  /** The server did not accept it. True: another one may be had. */
  readonly refuse: (key: string | undefined) => boolean
  /** What an error about the key says behind the name of the host. */
  readonly hint: string
  /** The header of the key, in place of the API's own. */
  readonly header: 'api-key' | undefined
}

export const fixedKey = (key: string | undefined, hint: string, header: Keys['header']): Keys => {
  const given = succeed(key)
  return { get: () => given, refuse: () => false, hint, header }
}

/** Shared by all agents of this process with the same words. */
export const commandedKey = (command: KeyCommandWords): Keys => {
  let opened: Promise<import('./key-command.js').KeyCommand> | undefined
  let running: import('./key-command.js').KeyCommand | undefined
  return {
    get: async () => {
      opened ??= import('./key-command.js').then(({ keyCommand }) => keyCommand(command))
      running = await opened
      return running.get()
    },
    refuse: (key) => {
      if (key !== undefined) running?.refuse(key)
      return running !== undefined
    },
    hint: `did not accept the key that '${command.words[0]}' gave`,
    header: undefined,
  }
}

/** A command that is still running is not waited for once nobody wants its key. */
export const orCancelled = <T>(key: Promise<Result<T>>, cancelled: Cancelled): Promise<Result<T>> =>
  new Promise((resolve, reject) => {
    const stop = cancelled.listen(() => resolve(fail('cancelled', 'the answer was dropped on request')))
    key.then(resolve, reject).finally(stop)
  })
