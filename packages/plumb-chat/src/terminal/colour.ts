// Colours, where they belong: on a terminal that has them, for a person who did not say no.

/** SGR codes that can be told apart on light and dark grounds alike. */
const AGENTS = [36, 35, 33, 34, 32, 95, 96, 94]
const ERROR = 31

export interface Paint {
  /** Each agent has its own, in the order in which they are named. */
  agent(name: string, text: string): string
  error(text: string): string
}

/** https://no-color.org: any value but an empty one. */
export const hasColours = (isTerminal: boolean, { NO_COLOR = '', TERM = '' }: NodeJS.ProcessEnv): boolean =>
  isTerminal && NO_COLOR === '' && TERM !== 'dumb' && TERM !== ''

export const makePaint = (isColoured: boolean, agents: readonly string[]): Paint => {
  const known = [...agents]
  const paint = (code: number, text: string): string => (isColoured ? `\x1b[${code}m${text}\x1b[0m` : text)
  return {
    agent: (name, text) => {
      if (!known.includes(name)) known.push(name)
      return paint(AGENTS[known.indexOf(name) % AGENTS.length] as number, text)
    },
    error: (text) => paint(ERROR, text),
  }
}
