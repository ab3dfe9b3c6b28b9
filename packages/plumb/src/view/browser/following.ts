// One input through the whole run: its number, wherever it stands, marks everything that came of it.

export const following = (): void => {
  let followed = ''
  addEventListener('click', ({ target }) => {
    const seq = (target as Element).closest<HTMLElement>('[data-follow]')?.dataset.follow
    if (seq === undefined) return
    followed = followed === seq ? '' : seq
    document.body.classList.toggle('following', followed !== '')
    for (const element of document.querySelectorAll<HTMLElement | SVGElement>('[data-seq]'))
      element.classList.toggle('followed', followed !== '' && element.dataset.seq === followed)
    for (const button of document.querySelectorAll<HTMLElement>('[data-follow]'))
      button.setAttribute('aria-pressed', String(followed !== '' && button.dataset.follow === followed))
  })
}
