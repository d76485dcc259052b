// Words that are so common in texts about software that a name made of one alone is not hidden wherever it stands. In lower case, without marks.

/** Everyday words that are also names of people, teams, repositories or accounts. */
export const commonWords: ReadonlySet<string> = new Set(
  `all any art august don guy july may one pat rob sue two about access account action actions active admin agent agents alert alerts alias alpha amber android angel angular ansible answer apache apple
  apps april arch archive argument array artist assistant async atlas auto autumn avatar await award babel back backend backup badge bake baker
  balance ball ballot band bank banks bash basic batch beam bean bear beat bell bench beta bill binary bird bishop black blank block blog blue board
  body bold bond book books boolean boost boot bootstrap border born bot boundary branch brand brave bridge bright brook brown browser brush buck
  buffer build builder builders bulk bundle burn bush butler button byte cache call calls camp campus card carter case cash cast catalog cell center
  chain challenge chan chance change channel chapter char charge chart charity chase chat check checkout chef chip christian church circle city
  claim class claude clay clean clear client clients clock clone close cloud club cluster coach coast code coder coders codex cole collection color
  column command comment commit common community compass compile compose config connect console constant contact container content context contest
  control cookie cool copilot core corner count course court craft create creator credit cross crow crown crystal cube curl current cursor custom
  cycle daemon daily dark dart dash dashboard data database date dawn days dean debug decision deep default delta demo deploy desert design designer
  desk detail dev devel develop device dialog diamond diff digest digital direct disk display django dock docker docs document domain door double
  down draft drag dragon draw dream drew drive drop dual duke dune duration each eager earl early earth east easy echo edge edit editor effect
  elastic element elm embed empty endpoint energy engine engineer english entity entry enum epic error errors event events example exception
  express extra face factory fail fair faith falcon false family fast feature features feed fetch field figure file files fill filter final finance
  find fire first fish fisher fix flag flame flash flask flat fleet float flow flower focus folder folk font food forest fork form format forward
  found fox frame framework frank free fresh friend front frontend full function future galaxy game games garden gate gateway gem gemini gene general
  ghost gift github gitlab give glen global goal gold golden good google grace grant graph gray green grey grid group groups grow guard guest guide
  hack hacker hackers hackathon half hall hand handler hard harbor harper hash hawk head header health heap heart heath heavy heights hello help
  helper herb here hero hidden high hill history hold holder hole holly home honey hood hook hope horizon host hotel hour house html http hub human
  hunt hunter icon idea image import include index info initial input inside install instance integer interface internal invoice item iterator
  ivory jack java javascript jenkins join joker json judge judges jump june jungle junior jupiter just keep kernel keys kind king kit knight know
  kotlin label lab labs lake lamp lance land lane language laravel large laser last later launch law layer lead leader leaf league learn learning
  left legend lemon length level library license life light lily lime limit line lines link links linter linux lion list listener lite little live
  load loader local location lock log login logo logs long look loop lost lotus love lucky lunar machine magic mail main major make maker makers
  manager manual many maple march mark market mars mart mason master match math matrix maven max maximum maybe mean measure media member members
  memory menu merge mercury merit message meta metal method metric miles mill miller mind mine mini minimum mint mirror miss mission mobile mock
  model models modern module mongo monitor month moon more morning most mount move mouse much multi music name names native nest nested network new
  next nick night node noel none noon norm normal north note notes null number object ocean offer office olive only opal open option options orange
  order origin output over owner pack package page pages paint pair palm panel paper park parker parse parser part partner pascal pass password
  past patch path pattern pause payload peace pearl penny people perl person phoenix phone photo pick piece pilot pine ping pioneer pipe pipeline
  pixel place plain plan planet plans plate platform play player plugin plus point police pool pop port porter post postgres power preview price
  prime print private process product profile program progress project projects prompt prompts proof property protocol proxy public pull pulse
  pure push python quality quantum query quest question queue quick quiet radio rain random range rapid raven react read reader ready real record
  recorder red redis reed reference region register release remote render rent replay reply repo report repository request research reset resource
  response rest result results return review reviewer rich ride right ring rise river road roadmap robin robot rock rocket role room root rose round
  route router row ruby rule rules run runner rush rust safe sage salt same sample sand sandbox sandy save scala scale scan schema school science
  scope score scores scout screen script scroll search season second secret section secure seed select self send senior sensor sentry series server
  service services session sessions setup shadow shape share sharp shell shield shift ship shop short show side sign signal silver simple single site
  size skill skip sky slack slate sleep slice slide slot small smart smith snake snow social socket soft software solar sole solid solo solution song
  sonic sort sound source south space span spark speak special speed spell spin spirit split sport spot spring sprint square stack staff stage stand
  standard star stark start starter state static station status steel stem step stock stone stop storage store storm story stream street string
  strong student students studio study style subject submit success suite sum summary summer summit sun sunny super support surface swift switch
  symbol sync synthetic system table tag tail tank target task tasks taylor teacher team teams tech temp template term terminal test tester testing
  tests text thank that theme then there thing think this thread three thunder ticket tide tiger time timer times title todo token tokens tool tools
  topic total touch tower town track tracker tracks trace trade train transform travel tree trend trial tribe trim true trunk trust truth turn turner
  tutor twin type types ubuntu ultra under union unit unity universe university update upload url usage user users util utils vale valid value values
  vector venture venus version victor victory video view vim vine violet virtual virtue vision visit vista visual voice volume vote wade wait walker
  wall ward warm watch water wave ways weather weaver web week west wheel when white wide widget wild will wind window windows wing winner winter
  wise wish with wolf wonder wood woods word words work worker workers workspace world wright write writer year yellow york young zero zone`.split(
    /\s+/,
  ),
)

/** Branches that everybody has. */
export const trunkBranches: ReadonlySet<string> = new Set([
  'main',
  'master',
  'trunk',
  'dev',
  'develop',
  'head',
])
