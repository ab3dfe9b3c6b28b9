// The colours of agents in a conversation.

import { paint, sgr } from '@plumb/wire'

/** SGR codes that are distinct on light and dark backgrounds. */
const AGENT_CODES = [36, 35, 33, 34, 32, 95, 96, 94]

export interface Paint {
  /** Each agent has its own colour, in the order in which they are first named. */
  agent(name: string, text: string): string
  error(text: string): string
  dim(text: string): string
}

export const makePaint = (isColoured: boolean, agents: readonly string[]): Paint => {
  const known = [...agents]
  return {
    agent: (name, text) => {
      if (!known.includes(name)) known.push(name)
      return isColoured ? sgr(AGENT_CODES[known.indexOf(name) % AGENT_CODES.length] as number, text) : text
    },
    error: (text) => (isColoured ? paint('error', text) : text),
    dim: (text) => (isColoured ? paint('dim', text) : text),
  }
}
