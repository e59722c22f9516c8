import { pluralIn } from '../../words/plural.ts'
import { listCounts, listNames, type Sentences, toPercent, type WarningCatalog } from '../catalog.ts'

/** Machine translation, not yet checked by a native speaker. */
const texts: WarningCatalog['texts'] = {
  ACTIVE_CONTENT_REMOVED: 'Scripts e outros conteúdos ativos foram removidos, porque o PDF/A os proíbe.',
  ANIMATION_DROPPED: 'Apenas o primeiro quadro da animação foi mantido.',
  ATTACHMENTS_DROPPED: 'Os anexos não foram incluídos.',
  AUDIO_TRACKS_DROPPED: 'Nem todas as faixas de áudio foram mantidas.',
  BOOKMARKS_DROPPED: 'Os marcadores não foram mantidos.',
  CHANNELS_MIXED: 'O áudio foi mixado em menos canais.',
  CHAPTERS_DROPPED: 'Os capítulos não foram mantidos.',
  COLORS_CONVERTED: 'As cores foram convertidas para outro espaço de cores.',
  COLOR_DEPTH_REDUCED: 'As cores foram reduzidas para 8 bits por canal.',
  COLUMNS_DROPPED: 'A tabela tem colunas demais: faltam as últimas.',
  COMMANDS_DROPPED: 'Comandos LaTeX desconhecidos foram omitidos com seu texto.',
  CONTENT_LOST: 'Parte do conteúdo está faltando no resultado. Confira.',
  CONTENT_REDUCED: 'O arquivo foi convertido por outro caminho, que preserva menos.',
  COUNTING_STOPPED: 'O conteúdo é grande demais para ser comparado por inteiro. Confira se falta algo.',
  COVER_DROPPED: 'A imagem de capa não foi mantida.',
  DATA_DROPPED: 'As faixas de dados sem vídeo, áudio ou texto não foram mantidas.',
  DUPLICATES_DROPPED: 'Vários arquivos tinham o mesmo nome; só o último de cada nome foi mantido.',
  ENCODING_ASSUMED: 'A codificação de caracteres foi presumida. Confira acentos e símbolos.',
  ENCRYPTION_REMOVED: 'O arquivo estava protegido por senha; o resultado não está.',
  FACES_DROPPED: 'Apenas uma variante da coleção de fontes foi convertida.',
  FOLDERS_DROPPED: 'Este formato não aceita pastas: todos os arquivos ficaram juntos.',
  FONTS_NOT_EMBEDDED: 'O documento cita as fontes do PDF, mas não as incorpora.',
  FONTS_SUBSTITUTED: 'Fontes ausentes foram substituídas por outras parecidas.',
  FONT_TABLES_DROPPED: 'Alguns recursos da fonte foram perdidos.',
  FORM_FLATTENED: 'Os campos do formulário não podem mais ser preenchidos; o conteúdo continua visível.',
  FRAME_RATE_ASSUMED: 'A taxa de quadros das legendas foi presumida. Confira os tempos.',
  GLYPHS_MISSING: 'Faltam fontes para alguns caracteres: eles aparecem como quadrados.',
  HIDDEN_DROPPED: 'As partes ocultas da pasta de trabalho não foram incluídas.',
  HIDDEN_KEPT: 'O resultado contém conteúdo oculto. Exclua o que deve continuar privado.',
  HIGHLIGHTS_CLIPPED: 'As áreas muito claras da imagem ficaram brancas.',
  IMAGE_DAMAGED: 'A foto está danificada; pode faltar uma parte.',
  INCLUDES_DROPPED: 'Faltam arquivos incluídos, porque não foram enviados.',
  ITEM_FAILED: 'Um dos arquivos não pôde ser convertido.',
  LAYOUT_NOT_REBUILT: 'Não foi possível reconstruir o layout: as páginas contêm imagens.',
  LETTERS_REPLACED: 'Caracteres inválidos foram substituídos.',
  LINKS_DROPPED: 'Faltam links ou arquivos vinculados no resultado.',
  MAY_BE_DAMAGED: 'O arquivo pode estar danificado. Confira se falta algo no resultado.',
  METADATA_DROPPED: 'Alguns dados, como título ou etiquetas, não foram mantidos.',
  METADATA_INCOMPLETE: 'O arquivo está parcialmente danificado; os metadados legíveis foram incluídos.',
  METADATA_NOT_KEPT: 'O formato de destino não armazena todos os metadados.',
  NOTHING_TO_DO: 'Não havia nada a fazer: o arquivo continua igual.',
  NOT_SMALLER: 'O arquivo não foi reduzido e continua igual.',
  NO_TABLES: 'Nenhuma tabela encontrada. A planilha contém o texto, linha por linha.',
  NO_TEXT: 'As páginas não contêm texto, apenas imagens dele.',
  OCR_UNCERTAIN: 'Algumas palavras foram difíceis de ler. Confira ou use uma digitalização mais nítida.',
  OCR_USED: 'O texto de algumas páginas foi reconhecido em imagens (OCR). Confira.',
  OPTION_IGNORED: 'Uma opção não teve efeito aqui.',
  OPTION_NOT_HELD: 'Uma opção não tem efeito neste formato.',
  OPTION_NOT_USED: 'Uma opção não é compatível aqui e foi ignorada.',
  PAGES_DROPPED: 'Nem todas as páginas foram convertidas.',
  PAGE_CUT: 'A página é longa demais: falta o final.',
  PDFA_CLAIM_REMOVED: 'O resultado não é mais PDF/A. Converta-o para PDF/A, se precisar.',
  PICTURES_DROPPED: 'Faltam algumas imagens no resultado.',
  PICTURES_REDUCED: 'As imagens das páginas foram reduzidas para ler o texto.',
  PICTURES_UNSHOWN: 'Algumas imagens não aparecem em muitos leitores de e-books.',
  PLANES_DROPPED: 'Nem todos os planos da imagem foram mantidos.',
  RAW_PARTS_DROPPED: 'Partes escritas apenas para outro formato foram omitidas.',
  REFERENCES_MISSING: 'O desenho faz referência a elementos que não contém.',
  RESTRICTIONS_VOID: 'As duas senhas são iguais: quem abrir o PDF terá todas as permissões.',
  ROWS_DROPPED: 'A tabela tem linhas demais: faltam as últimas.',
  SAMPLES_ROUNDED: 'A precisão do áudio foi reduzida.',
  SCRIPTS_NOT_RUN: 'Os scripts da página não foram executados. Confira se falta algo.',
  SCRIPTS_STOPPED: 'Os scripts da página demoraram demais e foram interrompidos. Confira se falta algo.',
  SHAPES_DROPPED: 'Faltam formas, imagens ou gráficos da planilha: o formato guarda apenas células.',
  SHEETS_DROPPED: 'Apenas a primeira planilha foi convertida.',
  SIGNATURE_BROKEN: 'O documento está assinado; a assinatura não vale para o arquivo alterado.',
  SIGNATURE_INVALID: 'O PDF estava assinado; as alterações invalidam as assinaturas.',
  STREAM_ENCODED: 'A faixa de áudio precisou ser recodificada.',
  STYLES_DROPPED: 'Faltam estilos das legendas, como negrito, itálico ou cores.',
  SUBTITLES_DROPPED: 'Nem todas as legendas foram mantidas.',
  TABLES_ONLY: 'Apenas as tabelas foram convertidas; falta o restante do texto.',
  TAGS_REMOVED: 'A estrutura para leitores de tela foi removida, porque descrevia as páginas originais.',
  TARGET_NOT_REACHED: 'Não foi possível atingir o tamanho desejado; este é o menor.',
  TEMPLATES_DROPPED: 'As predefinições da wiki foram omitidas: só ela pode expandi-las.',
  TEXT_MAY_BE_MISSING:
    'Algumas páginas contêm texto apenas como imagem. Use antes o reconhecimento de texto.',
  TEXT_MOVED: 'O texto girado foi colocado na horizontal ao final da página.',
  TEXT_PRESENT: 'Todas as páginas já têm texto: o reconhecimento foi ignorado.',
  TRANSPARENCY_DROPPED:
    'As áreas transparentes agora têm uma cor, porque o formato não aceita transparência.',
  UNKNOWN_PARAMETER: 'Uma opção não existe nesta conversão e foi ignorada.',
  VALUES_SCALED: 'Os valores da imagem foram ajustados para ficarem visíveis.',
  VIDEO_TRACKS_DROPPED: 'Apenas uma faixa de vídeo foi mantida.',
}

const plural = pluralIn('pt-BR')

const sentences: Sentences = {
  ATTACHMENTS_DROPPED: ({ count }) =>
    `${plural(count, 'anexo não foi incluído', 'anexos não foram incluídos')}.`,
  CONTENT_LOST: ({ unit, share }) =>
    `O resultado contém apenas ${toPercent(share)}% ${lostUnits[unit] ?? 'do conteúdo'}. Confira.`,
  DUPLICATES_DROPPED: ({ names, count }) =>
    `${plural(count, 'nome aparece', 'nomes aparecem')} mais de uma vez no arquivo compactado; só o último arquivo de cada nome foi mantido: ${listNames(names, count)}.`,
  FONTS_SUBSTITUTED: ({ names, count }) =>
    `${plural(count, 'fonte ausente foi substituída por outra parecida', 'fontes ausentes foram substituídas por outras parecidas')}: ${listNames(names, count)}.`,
  HIDDEN_DROPPED: ({ sheets, rows, columns }) =>
    `As partes ocultas da pasta de trabalho não foram incluídas: ${listCounts([
      [sheets, plural(sheets, 'planilha', 'planilhas')],
      [rows, plural(rows, 'linha', 'linhas')],
      [columns, plural(columns, 'coluna', 'colunas')],
    ])}.`,
  LINKS_DROPPED: ({ count }) =>
    `No resultado ${count === 1 ? 'falta' : 'faltam'} ${plural(count, 'link ou arquivo vinculado', 'links ou arquivos vinculados')}.`,
  OCR_UNCERTAIN: ({ share, pages, count }) =>
    `Em ${plural(count, 'página', 'páginas')}, ${toPercent(share)}% das palavras foram difíceis de ler: ${pages}. Confira ou use uma digitalização mais nítida.`,
  OCR_USED: ({ pages, count }) =>
    `O texto de ${plural(count, 'página', 'páginas')} foi reconhecido em imagens (OCR): ${pages}. Confira.`,
  PAGES_DROPPED: ({ kept, total }) =>
    `De ${plural(total, 'página', 'páginas')}, apenas ${kept === 1 ? 'a primeira foi convertida' : `as primeiras ${kept} foram convertidas`}.`,
  SHEETS_DROPPED: ({ total }) =>
    `De ${plural(total, 'planilha', 'planilhas')}, apenas a primeira foi convertida.`,
}

const lostUnits: Readonly<Record<string, string>> = {
  words: 'das palavras',
  images: 'das imagens',
  order: 'dos pares de palavras vizinhas',
}

const warnings: WarningCatalog = { texts, sentences }

export default warnings
