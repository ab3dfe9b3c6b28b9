// A run as OpenAI's API answers it: its text as it comes, its usage, and its error.

import { type Fault, fault, isFault } from '@plumb/wire'
import type { Run } from '../../run/run.js'

export interface OpenaiOutcome {
  readonly text: string
  /** It is a part of what was to be said: of an agent that keeps such answers. */
  readonly isCut: boolean
  readonly failure: Fault | undefined
}

/** Calls `tell` with each piece of the answer; the pieces are its text. Resolves when the run has told all. */
export const followText = async (run: Run, tell: (piece: string) => Promise<void> | void): Promise<OpenaiOutcome> => {
  let text = ''
  // Of what a model says before it calls a tool, or in an answer that is made again, nothing is part of the output.
  let sinceCall = ''
  let failure: Fault | undefined
  const say = async (piece: string): Promise<void> => {
    if (piece === '') return
    text += piece
    await tell(piece)
  }
  for (let item = await run.feed.after(0); item; item = await run.feed.after(item.id)) {
    const data = JSON.parse(item.data) as { readonly delta?: string; readonly value?: unknown; readonly error?: unknown }
    if (item.event === 'text' && typeof data.delta === 'string') {
      sinceCall += data.delta
      await say(data.delta)
    } else if (item.event === 'tool_call' || item.event === 'retry') sinceCall = ''
    else if (item.event === 'error') failure ??= isFault(data.error) ? data.error : fault('internal', 'the run has failed')
    else if (item.event === 'output') {
      const value = typeof data.value === 'string' ? data.value : JSON.stringify(data.value)
      await say(value.startsWith(sinceCall) ? value.slice(sinceCall.length) : `${text === '' ? '' : '\n'}${value}`)
      sinceCall = value
    }
    run.feed.read(item.id)
  }
  await run.finished
  return { text, isCut: run.binding.isAgent && run.isCut, failure: failure ?? run.failure }
}
