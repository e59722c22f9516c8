import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  signIn: 'Entrar',
  signInFirst: 'Entre na conta para ver isto.',
  retry: 'Tentar novamente',
  loading: 'Carregando…',
  keep: 'Cancelar',
  copy: 'Copiar',
  copied: 'Copiado.',
  plans: { 'self-hosted': 'Servidor próprio' },
}

export default words
