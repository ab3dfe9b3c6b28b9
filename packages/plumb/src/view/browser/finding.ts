// The field that finds: what does not hold its text is hidden.

const WAIT_MS = 150

export const finding = (): void => {
  const field = document.getElementById('find') as HTMLInputElement | null
  const found = document.getElementById('found')
  if (!field || !found) return
  const items = [...document.querySelectorAll<HTMLElement>('.messages > li, .turns > li, tbody > tr')]
  let timer: ReturnType<typeof setTimeout> | undefined

  const find = (): void => {
    const wanted = field.value.trim().toLowerCase()
    let count = 0
    for (const item of items) {
      const isFound = wanted === '' || (item.textContent ?? '').toLowerCase().includes(wanted)
      item.hidden = !isFound
      if (isFound) count++
    }
    found.textContent = wanted === '' ? '' : `${count} found`
    if (wanted === '') return
    for (const fold of document.querySelectorAll<HTMLDetailsElement>('details.wire'))
      fold.open = fold.querySelector('.messages > li:not([hidden])') !== null
  }
  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(find, WAIT_MS)
  })
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    field.focus()
  })
}
