// Which of an agent's memories a message is answered with: the key `conversation` of its spec.

import { KeyReader } from '../expression/stage/key.js'
import { MAX_UNSCANNED, MessageScanner } from '../expression/stage/message-scanner.js'
import type { Bound } from '../names/names.js'

/** Undefined: it has one memory, or none. Only for a program without errors. */
export const conversationKey = ({ binding: { impl }, inputs: [input], scope }: Bound): KeyReader | undefined => {
  const value = impl.kind === 'agent' ? impl.config.entries.find(({ key }) => key.text === 'conversation')?.value : undefined
  if (value?.kind !== 'condition' || !input) return undefined
  return new KeyReader(value.expression, { input, scope }, new MessageScanner(input, MAX_UNSCANNED))
}
