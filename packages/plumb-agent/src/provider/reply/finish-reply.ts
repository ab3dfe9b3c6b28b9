// The end of a reply: an answer where its server says that it is whole, and else why it is none.

import { preview } from '@plumb/wire'
import type { Attempt, ReplyFailures } from '../http/failure.js'
import type { Finished } from '../protocol.js'
import { endingOf, isCalling } from './ending.js'

export interface EndedReply extends Pick<Finished, 'content' | 'usage'> {
  /** As the server wrote it. Undefined: it gave none. */
  readonly reason: string | undefined
  /** The model itself declined. */
  readonly isRefused?: boolean
}

export const finishReply = ({ content, usage, reason, isRefused = false }: EndedReply, failures: ReplyFailures): Attempt<Finished> => {
  const broken = (did: string): Attempt<never> => ({ ok: false, failure: failures.ofBroken(did) })
  const calls = content.some(({ type }) => type === 'tool_use')
  const ending = endingOf(reason)
  switch (ending) {
    case undefined:
      return broken('ended its reply without a reason, such as stop, so that nothing says whether it is whole')
    case 'broken':
      return broken(`ended its reply with '${preview(reason ?? '', 60)}', before it was whole`)
    case 'overflow':
    case 'malformed': {
      const code = ending === 'overflow' ? 'context_length_exceeded' : 'tool_use_failed'
      return { ok: false, failure: failures.ofError({ code, message: `it ended its reply with '${reason}'` }) }
    }
    case 'cut':
      return { ok: true, value: { content, stop: 'tokens', usage } }
    case 'refused':
      return { ok: true, value: { content, stop: 'refused', usage } }
    case 'paused':
      return { ok: true, value: { content, stop: 'end', usage, isPaused: true } }
    case 'whole': {
      const isLost = isCalling(reason) && !calls && !content.some((block) => block.type === 'text' && block.text.trim() !== '')
      if (isLost) return broken(`ended its reply with '${reason}', and no call came`)
      return { ok: true, value: { content, stop: isRefused ? 'refused' : calls ? 'tool_use' : 'end', usage } }
    }
  }
}
