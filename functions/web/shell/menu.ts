/** Closes the navigation menu when the user clicks a link or elsewhere, or presses Escape. */
export function closeMenu(): void {
  const findOpenMenu = () => document.querySelector<HTMLDetailsElement>('.menu[open]')
  document.addEventListener('click', ({ target }) => {
    const openMenu = findOpenMenu()
    if (!openMenu || !(target instanceof Element)) return
    if (!openMenu.contains(target) || target.closest('a, button')) openMenu.open = false
  })
  document.addEventListener('keydown', ({ key }) => {
    const openMenu = findOpenMenu()
    if (key !== 'Escape' || !openMenu) return
    openMenu.open = false
    openMenu.querySelector('summary')?.focus()
  })
}
