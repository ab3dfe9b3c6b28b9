// A message as a person reads it.

/** Texts as they are, anything else as JSON on several lines; what was cut, or is no JSON, as it stands. */
export const readable = (json: string): { readonly text: string; readonly isProse: boolean } => {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'string') return { text: value, isProse: true }
    const spread = JSON.stringify(value, null, 2)
    // Short ones stay on a line. JSON.parse may have lost digits of numbers, so that line is the message itself.
    return { text: json.length <= SHORT ? json : spread, isProse: false }
  } catch {
    return { text: json, isProse: false }
  }
}

const SHORT = 100
