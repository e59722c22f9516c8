import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Atalhos de teclado',
  keys: {
    a: 'Adicionar arquivos',
    c: 'Converter tudo o que estiver pronto',
    d: 'Baixar',
    n: 'Ir para o próximo problema',
    u: 'Desfazer a remoção de um arquivo',
    '?': 'Mostrar esta lista',
  },
  areOn: 'Usar atalhos de uma tecla',
  close: 'Fechar',
}

export default words
