// The question that is open at the terminal. What else is written there begins a line of its own, and the question comes again below.

const LF = Buffer.from('\n')

let prompt: string | undefined
let isAtPrompt = false

/** Undefined: it is answered. */
export const setPrompt = (text: string | undefined): void => {
  prompt = text
  isAtPrompt = text !== undefined
}

/** What to write for these bytes; where they end within a line, more are to come, and the question waits for them. */
export const besidePrompt = (bytes: Buffer): Buffer => {
  if (prompt === undefined || bytes.length === 0) return bytes
  const before = isAtPrompt ? [LF] : []
  isAtPrompt = bytes.at(-1) === LF[0]
  return Buffer.concat([...before, bytes, ...(isAtPrompt ? [Buffer.from(prompt)] : [])])
}
