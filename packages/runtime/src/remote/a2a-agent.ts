// An agent elsewhere that speaks A2A, as a process of a graph: `agent { a2a: "https://host" }`.

import { agentOf, type Bound } from '@plumb/lang'
import { fail, type Result } from '@plumb/wire'
import type { Spawned } from '../child/spawn.js'
import { type AskPerson, mismatchOf, startAnswering } from '../person/person-agent.js'
import { keyHeaders, remoteFetch } from './remote-fetch.js'

export interface RemoteAgent {
  readonly name: string
  readonly bound: Bound
  readonly maxLine: number
  /** Of the run, whom the agent may ask something. */
  readonly ask: AskPerson | undefined
}

export const startA2a = ({ name, bound, maxLine, ask }: RemoteAgent): Spawned => {
  const { config, output } = agentOf(bound)
  const url = new URL(String(config.a2a))
  const keys = keyHeaders(config)
  const stop = new AbortController()
  const talk = openTalk()
  async function openTalk() {
    const { A2aTalk } = await import('./a2a-talk.js')
    const opened = new A2aTalk({
      ...{ name, url, output, isAmnesiac: config.amnesiac === true },
      fetchImpl: remoteFetch(url, keys.ok ? keys.value : {}, stop.signal),
      ask: ask ?? (async () => fail('approval_required', `'${name}' asks for more, and nobody is there to be asked`)),
      check: (json) => mismatchOf(output, json),
    })
    // What is wrong with it is said to the first input.
    if (keys.ok) opened.open().catch(() => {})
    return opened
  }
  const answer = async (input: string, n: number, stopped: AbortSignal): Promise<Result<string>> =>
    keys.ok ? (await talk).answer(input, n, stopped) : keys
  const started = startAnswering({ answer, maxLine })
  void started.child.exited.then(() => stop.abort())
  return started
}
