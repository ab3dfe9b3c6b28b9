// What a page that is served asks of its server: everything else of the page works from the disk alone.

export const isServed = document.body.dataset.served !== undefined

const fetched = async (path: string): Promise<string | undefined> => {
  try {
    const response = await fetch(path)
    return response.ok ? await response.text() : undefined
  } catch {
    return undefined
  }
}

export const fetchedArticle = (seq: string): Promise<string | undefined> => fetched(`input/${seq}`)

export const fetchedRows = async (from: number): Promise<string> => (await fetched(`rows/${from}`)) ?? ''

export interface Found {
  readonly found: readonly (readonly [seq: number, count: number])[]
  readonly searched: number
  readonly total: number
}

/** `from`: how many inputs were searched before. */
export const fetchedMatches = async (text: string, from: number): Promise<Found | undefined> => {
  const json = await fetched(`find?q=${encodeURIComponent(text)}&from=${from}`)
  return json === undefined ? undefined : (JSON.parse(json) as Found)
}

export const fetchedVersion = (): Promise<string | undefined> => fetched('version')

export const fetchedPage = async (): Promise<Document | undefined> => {
  const html = await fetched('./')
  return html === undefined ? undefined : new DOMParser().parseFromString(html, 'text/html')
}
