// The addresses of OpenAI's APIs, and the header of their key.

/** The official SDK expects it with /v1, which is added to a bare origin. */
export const baseOf = ({ pathname }: URL): string => pathname.replace(/\/+$/, '') || '/v1'

export const bearer = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }
