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

// The server has escaped what is in it, and a script in it would not run.
const elementsIn = (html: string): HTMLElement[] => {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return [...body.children]
    .filter((element): element is HTMLElement => element instanceof HTMLElement)
    .map((one) => document.adoptNode(one))
}

export const fetchedArticle = async (seq: string): Promise<HTMLElement | undefined> => {
  const html = await fetched(`input/${seq}`)
  return html === undefined ? undefined : elementsIn(html)[0]
}

export const fetchedRows = async (from: number): Promise<HTMLElement[]> => elementsIn((await fetched(`rows/${from}`)) ?? '')

export interface Found {
  readonly found: readonly (readonly [seq: number, count: number])[]
  readonly searched: number
  readonly total: number
}

export const fetchedMatches = async (text: string): Promise<Found | undefined> => {
  const json = await fetched(`find?q=${encodeURIComponent(text)}`)
  return json === undefined ? undefined : (JSON.parse(json) as Found)
}

export const fetchedVersion = (): Promise<string | undefined> => fetched('version')

export const fetchedPage = async (): Promise<Document | undefined> => {
  const html = await fetched('./')
  return html === undefined ? undefined : new DOMParser().parseFromString(html, 'text/html')
}
