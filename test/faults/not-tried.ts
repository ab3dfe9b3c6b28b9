// Cases of the fault table that no test tries, and why: each is a sentence for the reader who looks for its number.

export const NOT_TRIED: Readonly<Record<number, string>> = {}
