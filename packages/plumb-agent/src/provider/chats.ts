// The providers over HTTP with their protocols, loaded at the first request.

import { ANTHROPIC } from './anthropic/protocol.js'
import { CHAT_COMPLETIONS } from './openai/chat/protocol.js'
import { RESPONSES } from './openai/responses/protocol.js'

export { openChat } from './chat.js'

export const PROTOCOLS = { anthropic: ANTHROPIC, chat: CHAT_COMPLETIONS, responses: RESPONSES }
