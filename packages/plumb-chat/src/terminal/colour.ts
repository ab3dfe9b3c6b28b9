// Colours, on terminals that have them, unless NO_COLOR is set.

/** SGR codes that are distinct on light and dark backgrounds. */
const AGENT_CODES = [36, 35, 33, 34, 32, 95, 96, 94]
const ERROR_CODE = 31

export interface Paint {
  /** Each agent has its own colour, in the order in which they are first named. */
  agent(name: string, text: string): string
  error(text: string): string
}

/** NO_COLOR disables colours unless it is empty (https://no-color.org). */
export const hasColours = (isTerminal: boolean, { NO_COLOR = '', TERM = '' }: NodeJS.ProcessEnv): boolean =>
  isTerminal && NO_COLOR === '' && TERM !== 'dumb' && TERM !== ''

export const makePaint = (isColoured: boolean, agents: readonly string[]): Paint => {
  const known = [...agents]
  const paint = (code: number, text: string): string => (isColoured ? `\x1b[${code}m${text}\x1b[0m` : text)
  return {
    agent: (name, text) => {
      if (!known.includes(name)) known.push(name)
      return paint(AGENT_CODES[known.indexOf(name) % AGENT_CODES.length] as number, text)
    },
    error: (text) => paint(ERROR_CODE, text),
  }
}
