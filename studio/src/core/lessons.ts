/** Lessons: each a scenario, two or three sentences, and a question that a slider answers. */

export interface Lesson {
  id: string;
  title: string;
  text: string;
  question: string;
  /** The variable of the second plot. */
  inner?: string;
  scenario: string;
}

interface Parts {
  name: string;
  title: string;
  link: string;
  flows: string;
  /** Label, and the queue in TOML. */
  a: [string, string];
  b?: [string, string];
  duration?: string;
}

function scenario({ name, title, link, flows, a, b, duration = "60 s" }: Parts): string {
  const variant = (letter: string, [label, queue]: [string, string]): string =>
    `\n[variants.${letter}]\nlabel = "${label}"\nlinks.bottleneck.queue.${queue}\n`;
  const head = `schema = 1\nname = "${name}"\ntitle = "${title}"\nduration = "${duration}"\n`;
  return `${head}\n[links.bottleneck]\n${link}\n\n${flows}\n${variant("a", a)}${b ? variant("b", b) : ""}`;
}

function group(name: string, count: number, rtt: string, more: string): string {
  return `[flows.${name}]\ncount = ${count}\nrtt = "${rtt}"\nstart_jitter = "1 s"\n${more}\n`;
}

const CUBIC = "tcp.congestion.cubic = {}";
const RENO = "tcp.congestion.reno = {}";

export const LESSONS: Lesson[] = [
  {
    id: "bufferbloat",
    title: "Bufferbloat",
    text: "TCP fills any buffer: a sender slows down only after a packet is lost. A large buffer that drops only when it is full adds its whole length to every round trip.",
    question: "Make the buffer smaller. When does the delay of A fall, and at which size does the link stop being full?",
    scenario: scenario({
      name: "bufferbloat",
      title: "4 CUBIC flows on 20 Mbit/s, 40 ms",
      link: 'rate = "20 Mbit/s"\ndelay = "10 ms"\nbuffer = "600 packets"',
      flows: group("cubic", 4, "40 ms", CUBIC),
      a: ["DropTail", "drop-tail = {}"],
      b: ["CoDel", "codel = {}"],
    }),
  },
  {
    id: "red",
    title: "Why RED is hard to tune",
    text: "RED signals with a probability that grows with the average queue. More flows need a higher probability, so the queue itself must be longer: its length depends on the load.",
    question: "Move the flows from 5 to 80. Where does the queue settle? Which max_p brings it back between the thresholds, and does that value suit 5 flows?",
    inner: "average",
    scenario: scenario({
      name: "red",
      title: "20 Reno flows through RED on 20 Mbit/s",
      link: 'rate = "20 Mbit/s"\ndelay = "10 ms"\nbuffer = "300 packets"',
      flows: group("reno", 20, "80 ms", RENO),
      a: ["RED", 'red = { min_th = "20 packets", max_th = "80 packets", max_p = 0.1, gentle = true }'],
      b: ["Adaptive RED", 'adaptive-red = { min_th = "20 packets", max_th = "80 packets" }'],
    }),
  },
  {
    id: "rem",
    title: "REM: a price instead of a queue",
    text: "REM keeps a price that rises while the queue is above its target or the link is overloaded. The price measures congestion, so the queue need not: it returns to the target at any load.",
    question: "Double the flows. Which rises in B, the queue or the price? And what rises in A?",
    inner: "price",
    scenario: scenario({
      name: "rem",
      title: "30 NewReno flows: RED beside REM, with ECN",
      link: 'rate = "30 Mbit/s"\ndelay = "10 ms"\nbuffer = "300 packets"',
      flows: group("reno", 30, "80 ms", `${RENO}\ntcp.ecn = true`),
      a: ["RED", 'red = { min_th = "20 packets", max_th = "120 packets", gentle = true, ecn = true }'],
      b: ["REM", 'rem = { target = "20 packets", ecn = true }'],
      duration: "100 s",
    }),
  },
  {
    id: "pi",
    title: "PI and the number of users",
    text: "PI is a controller: its gains are computed for a number of flows and a round-trip time. With many more flows it reacts too slowly; with far fewer, or with longer round trips, the loop may swing.",
    question: "Set the round-trip time to 300 ms, then the flows to 5. Does the queue still settle at q_ref?",
    inner: "probability",
    scenario: scenario({
      name: "pi",
      title: "60 Reno flows through PI, designed for 60 flows and 100 ms",
      link: 'rate = "30 Mbit/s"\ndelay = "10 ms"\nbuffer = "600 packets"',
      flows: group("reno", 60, "100 ms", `${RENO}\ntcp.ecn = true`),
      a: ["PI, as published", 'pi = { q_ref = "100 packets", ecn = true }'],
      b: ["PI, for 60 flows", 'pi = { q_ref = "100 packets", ecn = true, design = { flows = 60, rtt = "100 ms" } }'],
      duration: "100 s",
    }),
  },
  {
    id: "codel",
    title: "CoDel's interval",
    text: "CoDel signals when no packet of one interval waited less than the target. The interval should be about the longest round-trip time: a sender needs that long to answer.",
    question: "Both have a round trip of 150 ms. What does the short interval of B cost, and what happens when you make both intervals longer?",
    scenario: scenario({
      name: "codel",
      title: "5 Reno flows, 150 ms: CoDel with two intervals",
      link: 'rate = "20 Mbit/s"\ndelay = "20 ms"\nbuffer = "1000 packets"',
      flows: group("reno", 5, "150 ms", RENO),
      a: ["CoDel, 150 ms", 'codel = { interval = "150 ms" }'],
      b: ["CoDel, 10 ms", 'codel = { interval = "10 ms" }'],
    }),
  },
  {
    id: "flood",
    title: "Fair queueing against a flood",
    text: "A sender that ignores all signals takes what it wants from a shared queue; those that answer get the rest. A scheduler with a queue for each flow gives every flow its share.",
    question: "Look at the goodput of the flood and of the TCP flows in A and in B. Change B to RED: can an AQM without flow queues protect TCP?",
    scenario: scenario({
      name: "flood",
      title: "A flood of 18 Mbit/s beside 4 CUBIC flows on 20 Mbit/s",
      link: 'rate = "20 Mbit/s"\ndelay = "10 ms"\nbuffer = "200 packets"',
      flows: `${group("tcp", 4, "40 ms", CUBIC)}\n[flows.flood]\nrtt = "40 ms"\nstart = "5 s"\ntraffic.cbr.rate = "18 Mbit/s"\n`,
      a: ["DropTail", "drop-tail = {}"],
      b: ["FQ-CoDel", "fq-codel = {}"],
    }),
  },
  {
    id: "ecn",
    title: "ECN instead of drops",
    text: "A queue discipline must signal congestion, but it need not throw packets away: with ECN it marks them, and the sender answers a mark as it would a loss.",
    question: "Compare loss and marks of A and B. Then take ECN away from the flows: what does B do now?",
    scenario: scenario({
      name: "ecn",
      title: "20 CUBIC flows with ECN: PIE that drops, PIE that marks",
      link: 'rate = "20 Mbit/s"\ndelay = "10 ms"\nbuffer = "300 packets"',
      flows: group("cubic", 20, "40 ms", `${CUBIC}\ntcp.ecn = true`),
      a: ["PIE, drops", "pie = {}"],
      b: ["PIE, marks", "pie = { ecn = true, mark_ecnth = 1.0 }"],
    }),
  },
  {
    id: "rtt",
    title: "Long round trips get less",
    text: "A Reno sender adds one packet per round trip. A flow with a round trip of 20 ms grows ten times as often as one of 200 ms. So it takes far more than its share of a common queue.",
    question: "How unequal are near and far in A? Does a short queue (CoDel) make it better or worse? What does B do about it?",
    scenario: scenario({
      name: "rtt",
      title: "4 near flows (20 ms) and 4 far ones (200 ms), Reno",
      link: 'rate = "20 Mbit/s"\ndelay = "5 ms"\nbuffer = "100 packets"',
      flows: `${group("near", 4, "20 ms", RENO)}\n${group("far", 4, "200 ms", RENO)}`,
      a: ["DropTail", "drop-tail = {}"],
      b: ["FQ-CoDel", "fq-codel = {}"],
    }),
  },
  {
    id: "synchronisation",
    title: "Synchronisation",
    text: "A full buffer drops packets of many flows at the same moment, and all halve their windows together: the queue runs empty and fills again. Random early drops hit the flows at different times.",
    question: "Watch the mean window: which variant has the deeper teeth? Make the buffer smaller: which one keeps the link full?",
    scenario: scenario({
      name: "synchronisation",
      title: "10 Reno flows that start together, 100 ms",
      link: 'rate = "20 Mbit/s"\ndelay = "10 ms"\nbuffer = "100 packets"',
      flows: `[flows.reno]\ncount = 10\nrtt = "100 ms"\nstart_jitter = "10 ms"\n${RENO}\n`,
      a: ["DropTail", "drop-tail = {}"],
      b: ["RED", 'red = { min_th = "20 packets", max_th = "80 packets", max_p = 0.05 }'],
    }),
  },
  {
    id: "dualpi2",
    title: "DualPI2: two queues, one link",
    text: "Scalable senders such as TCP Prague keep a queue very short if they are marked often, but then they displace classic ones. DualPI2 gives them a queue of their own and couples the signals of both.",
    question: "Compare the goodput of classic and scalable flows in A and in B. Add classic flows: does each flow still get about the same?",
    scenario: scenario({
      name: "dualpi2",
      title: "2 CUBIC and 2 Prague flows on 40 Mbit/s",
      link: 'rate = "40 Mbit/s"\ndelay = "5 ms"\nbuffer = "500 packets"',
      flows: `${group("classic", 2, "20 ms", 'tcp.preset = "linux"')}\n${group("scalable", 2, "20 ms", 'tcp = { preset = "linux", congestion.prague = {}, ecn = true, accecn = true }')}`,
      a: ["CoDel", "codel = { ecn = true }"],
      b: ["DualPI2", "dualpi2 = {}"],
    }),
  },
];
