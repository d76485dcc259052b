// Runs before the first paint: takes the theme that the reader has chosen, or else the one of their system. A file, since the policy forbids inline scripts.
const chosen = localStorage.getItem('mantine-color-scheme-value')
const asked = new URLSearchParams(location.search).get('theme')
const wanted = asked ?? chosen
const scheme =
  wanted === 'light' || wanted === 'dark'
    ? wanted
    : matchMedia('(prefers-color-scheme: dark)').matches
      ? 'dark'
      : 'light'
document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
