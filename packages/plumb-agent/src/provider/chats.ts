// The providers over HTTP, with what speaks their protocols: wanted with the first question, and not before.

import { ANTHROPIC } from './anthropic/protocol.js'
import { OPENAI } from './openai/protocol.js'

export { openChat } from './chat.js'

export const PROTOCOLS = { anthropic: ANTHROPIC, openai: OPENAI }
