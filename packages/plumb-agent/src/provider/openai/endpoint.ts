// Where OpenAI's APIs are, and how a key is shown to them.

/** The official SDK takes it with /v1; a bare origin gets it. */
export const baseOf = ({ pathname }: URL): string => pathname.replace(/\/+$/, '') || '/v1'

export const bearer = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }
