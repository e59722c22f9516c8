import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  signIn: 'Iniciar sesión',
  signInFirst: 'Para ver esto hay que iniciar sesión.',
  retry: 'Reintentar',
  loading: 'Cargando…',
  keep: 'Cancelar',
  copy: 'Copiar',
  copied: 'Copiado.',
  plans: { 'self-hosted': 'Servidor propio' },
}

export default words
