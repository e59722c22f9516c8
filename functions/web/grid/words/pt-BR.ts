import { pluralIn } from '../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('pt-BR')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Páginas',
  pages: (count) => plural(count, 'página', 'páginas'),
  selected: (count, of) => `${plural(count, 'selecionada', 'selecionadas')} de ${of}`,
  page: (page) => `Página ${page}`,
  rotatedBy: (degrees) => `girada ${degrees}°`,
  isRemoved: 'removida',
  isSplitAfter: 'divisão após esta página',
  selectAll: 'Selecionar tudo',
  selectNone: 'Limpar seleção',
  rotateLeft: 'Girar para a esquerda',
  rotateRight: 'Girar para a direita',
  moveBack: 'Mover para a esquerda',
  moveForward: 'Mover para a direita',
  remove: 'Remover',
  restore: 'Restaurar',
  split: 'Dividir depois',
  unsplit: 'Não dividir depois',
  splitEvery: 'Dividir a cada … páginas',
  splitNow: 'Dividir',
  reset: 'Redefinir',
  size: 'Tamanho das miniaturas',
  range: 'Páginas selecionadas',
  rangeHint: 'Por exemplo, 1-5, 10, 15-last. Em branco: todas as páginas.',
  actions: 'Ações para as páginas selecionadas',
  keys: {
    always:
      'As setas passam de uma página a outra, Espaço seleciona, Shift com as setas amplia a seleção, Ctrl+A seleciona tudo.',
    move: 'Alt com as setas move páginas.',
    rotate: 'R gira para a direita, L para a esquerda.',
    remove: 'Delete remove ou restaura.',
    split: 'S divide após a página.',
  },
  movedTo: (page, at, of) => `Página ${page} movida para a posição ${at} de ${of}`,
  rotatedTo: (count, page, degrees) =>
    count === 1 ? `Página ${page} girada ${degrees}°` : plural(count, 'página girada', 'páginas giradas'),
  removedNow: (count) => plural(count, 'página removida', 'páginas removidas'),
  restoredNow: (count) => plural(count, 'página restaurada', 'páginas restauradas'),
  files: (count) => plural(count, 'arquivo', 'arquivos'),
  opening: 'Abrindo o PDF…',
  locked: 'Este PDF está protegido. Digite a senha.',
  wrongPassword: 'Senha incorreta. Tente novamente.',
  password: 'Senha',
  open: 'Abrir',
  tooLarge: 'Este PDF é grande demais para ser exibido no navegador.',
  unreadable: 'Não é possível exibir este PDF no navegador.',
  drawOnServer: 'Mostrar as páginas pelo servidor',
  drawOnServerHint: 'Antes, o arquivo será enviado.',
  sending: 'Enviando…',
  drawing: 'Criando prévias…',
  noPreview: 'Sem prévia',
  tooMany: (max) =>
    `Este PDF tem mais de ${max} páginas, muitas para exibir. Digite os números das páginas abaixo.`,
}

export default words
