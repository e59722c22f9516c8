import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('pt-BR')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Converter uma pasta',
  lead: 'Converta todos os arquivos de uma pasta e de suas subpastas. O resultado é um ZIP com a mesma estrutura.',
  drop: 'Solte uma pasta em qualquer lugar desta página',
  choose: 'Escolher uma pasta',
  steps: [
    'Escolha uma pasta. Os arquivos são listados com suas subpastas.',
    'Escolha um formato para cada tipo de arquivo e converta tudo.',
    'Arquivos com falha podem ser repetidos separadamente.',
    'Baixe tudo como ZIP, com a estrutura de pastas mantida.',
  ],
  howTo: 'Como funciona',
  inFolders: (files, folders) =>
    `${plural(files, 'arquivo', 'arquivos')} em ${plural(folders, 'pasta', 'pastas')}`,
  tree: 'Pastas',
  count: (done, total) => `${plural(done, 'convertido', 'convertidos')} de ${total}`,
  others: (count) =>
    plural(count, 'outro arquivo não está em uma pasta.', 'outros arquivos não estão em uma pasta.'),
  toOthers: 'Mostrar todos os arquivos',
}

export default words
