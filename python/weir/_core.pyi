"""The Rust core. Everything that is simulated happens behind these names."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict, final

Column = tuple[str, bytes, list[str] | bytes | None]
"""One column of a table: numpy's name of the type, the values, and names or lengths. Counts are int64,
quantities float64 with NaN for "not defined" (a delay quantile where no packet left). A column of names has
codes, and the names that they stand for. Where every row has a list, it has the values of all, and the length
of each list (uint32)."""

Columns = dict[str, Column]
"""One table: column name to values."""

__version__: str
interface: int
"""CRC-32 of this file when the extension was built."""
results_version: int
"""Version that grows when the same scenario and seed would give other numbers."""

class ScenarioError(ValueError):
    """A scenario that cannot be run, with everything that a user needs to correct it."""

    file: str
    line: int | None
    path: str | None
    message: str
    hint: str | None

class CaptureError(OSError):
    """A capture that cannot be written: errno (None where it was refused), strerror, filename."""

@final
class LoadChange:
    """An instant at which the number of flows changes. Jitter of starts does not count."""

    @property
    def at_s(self) -> float: ...
    @property
    def before(self) -> int:
        """Flows before the instant."""
    @property
    def after(self) -> int:
        """Flows from then on. For groups whose flows come and go, the number of their sources."""

@final
class Port:
    """One direction of a link that has a queue."""

    @property
    def name(self) -> str:
        """Name of the port: `LINK`, or `LINK.reverse`."""
    @property
    def link(self) -> str: ...
    @property
    def direction(self) -> Literal["forward", "reverse"]: ...
    @property
    def key(self) -> str:
        """Path in the scenario file: `links.LINK`, `links.LINK.reverse`; for a link of a row, the path of the
        row."""
    @property
    def rate_bps(self) -> int:
        """Rate at the start, bit/s. If the port follows a trace, the rate that its AQM is told."""
    @property
    def rate_changes(self) -> list[tuple[float, int]]:
        """Changes of the rate before the end of the run, the first 100,000 of them: seconds, and the rate in
        bit/s from then on."""
    @property
    def follows_trace(self) -> bool: ...
    @property
    def delay_s(self) -> float: ...
    @property
    def limit_packets(self) -> int | None:
        """Limit of the buffer in packets; None if the limit is in bytes."""
    @property
    def limit_bytes(self) -> int | None:
        """Limit of the buffer in bytes; None if the limit is in packets."""
    @property
    def limit_changes(self) -> list[tuple[float, float]]:
        """Changes of the limit in mid-run: seconds, and the limit from then on in packets of mean size."""
    @property
    def mean_packet_bytes(self) -> int:
        """Mean packet size in bytes, used where packets are counted."""
    @property
    def largest_rtt_s(self) -> float:
        """The largest propagation round trip among the flows over the link."""
    @property
    def bdp_packets(self) -> float:
        """`rate_bps` times `largest_rtt_s`, in packets of mean size."""
    @property
    def queue(self) -> str:
        """The name of the queue discipline."""
    @property
    def classes(self) -> list[str]:
        """Names of the classes of packets that the queue discipline keeps apart; for most disciplines
        empty."""
    @property
    def ecn_capable(self) -> bool: ...
    @property
    def loses_packets(self) -> bool:
        """True if the line loses packets, independently of the queue."""
    @property
    def shaped_bps(self) -> float | None:
        """Bits per second of packets of mean size that the shaper of CAKE lets through; None without one."""
    @property
    def granted_bps(self) -> float | None:
        """Rate that grants let leave the line, bit/s, with packets of mean size; None if they let all waiting
        packets go."""
    @property
    def grant_wait_s(self) -> float | None:
        """Seconds that a packet waits for its grant at a cable modem; None without one."""
    @property
    def load(self) -> list[LoadChange]:
        """Number of flows whose data pass, over time."""

@final
class Bottleneck:
    """The port that limits flows."""

    @property
    def name(self) -> str:
        """Name of the port: `LINK`, or `LINK.reverse`."""
    @property
    def link(self) -> str: ...
    @property
    def direction(self) -> Literal["forward", "reverse"]: ...
    @property
    def key(self) -> str:
        """Path in the scenario file, as `Port.key`."""
    @property
    def ambiguity(self) -> str | None:
        """Reason why another port could be meant: equal rates, a bottleneck that moves, or paths with
        different bottlenecks. None if there is no doubt, or if `measure.bottleneck` names the port."""

@final
class RecordingShare:
    """Packets of a recording."""

    @property
    def packets(self) -> int: ...
    @property
    def bytes(self) -> int:
        """Bytes of the IP packets."""
    @property
    def to(self) -> str | None:
        """The host that was sent most bytes; None in CSV, which has no addresses."""
    @property
    def hosts(self) -> int:
        """Number of hosts that were sent packets."""

@final
class RecordingSelection:
    """Packets of a recording that are replayed, and those that are left out."""

    @property
    def replayed(self) -> RecordingShare: ...
    @property
    def left_out(self) -> RecordingShare: ...
    @property
    def groups(self) -> int | None:
        """Groups of hosts without packets between the groups; None if there is one direction."""
    @property
    def mixed(self) -> bool:
        """True if both directions of a link are replayed as if they were one, although a network was
        named."""
    @property
    def last_s(self) -> float:
        """Seconds from the first packet of the recording to the last that is replayed."""
    @property
    def late(self) -> int:
        """Packets that are recorded after a later one."""
    @property
    def latest_s(self) -> float:
        """Largest time by which one of these packets is late, s."""
    @property
    def copies(self) -> int:
        """Packets that were captured before, at another interface: each is replayed once."""

@final
class Path:
    """Path of the data and ACKs of a group of flows."""

    @property
    def group(self) -> str: ...
    @property
    def data(self) -> list[str]:
        """Links that data pass, in order: `LINK`, or `LINK.reverse`."""
    @property
    def acks(self) -> list[str]:
        """Links that ACKs pass, in order; directions without a queue are no ports."""
    @property
    def bottleneck(self) -> Bottleneck: ...
    @property
    def base_rtt_s(self) -> float | None:
        """Propagation round trip in seconds; None where it is drawn for each flow."""
    @property
    def base_rtt_range_s(self) -> tuple[float, float]:
        """Smallest and largest propagation round trip in seconds. For distributions without a bound, the
        largest is twice the mean or median."""
    @property
    def packet_bytes(self) -> int: ...
    @property
    def bdp_packets(self) -> float:
        """The bottleneck's rate times the largest base round trip, in data packets."""
    @property
    def traffic(self) -> str:
        """Kind of traffic: `bulk` for data without end."""
    @property
    def is_datagrams(self) -> bool:
        """True if it is sent as datagrams, without TCP."""
    @property
    def comes_and_goes(self) -> bool:
        """True if its flows are transfers that end, so that their number is not known before the run."""
    @property
    def begins_by_itself(self) -> bool:
        """True if transfers begin whether or not those before them have ended."""
    @property
    def is_random(self) -> bool:
        """True if chance decides what is sent, or when; jitter and drawn round trips are not counted."""
    @property
    def declares(self) -> list[tuple[str, str]]:
        """Each kind of packet that the group sends, and its ECN codepoint: `("SYN", "Not-ECT")`, `("data",
        "ECT(0)")`."""
    @property
    def mean_transfer_bytes(self) -> float | None:
        """Mean size of a transfer in bytes, for Poisson arrivals, closed loops, web traffic and lists; None
        if the file was not read."""
    @property
    def offered_bps(self) -> float | None:
        """Mean offered load of each source of the group while it is there, bit/s. None where the network or
        the receive window limits it, and where the mean size is not known."""
    @property
    def listed(self) -> tuple[int, int, float] | None:
        """Number of transfers of a list, of those that start in the run, and the bytes of these; None if the
        list was not read."""
    @property
    def recording(self) -> RecordingSelection | None:
        """Packets of a replay; None if the file was not read."""
    @property
    def replayed(self) -> tuple[int, int, int] | None:
        """Packets and bytes of a trace before the end of the run, and the number of its flows; None if the
        trace was not read."""
    @property
    def load(self) -> list[LoadChange]:
        """Number of flows of the group over time."""
    @property
    def flow_bytes(self) -> float:
        """Memory of a flow of the group, or of a source of datagrams."""
    @property
    def sender_bytes(self) -> float:
        """Memory of what only some senders have; part of `flow_bytes`."""

@final
class Network:
    """The resolved network of a scenario."""

    @property
    def duration_s(self) -> float:
        """Simulated time in seconds."""
    @property
    def ports(self) -> list[Port]:
        """Ports in the order of the links in the scenario, forward before reverse."""
    @property
    def paths(self) -> list[Path]:
        """Paths in the order of the groups."""
    @property
    def bottleneck(self) -> Bottleneck:
        """Port that results are about."""
    @property
    def unlisted(self) -> list[tuple[str, int, int]]:
        """Lists that were read and have transfers that no group takes: the first group that takes from the
        list, the number of these transfers, and the number of all."""
    def port(self, name: str) -> Port:
        """The port of this name. Raises KeyError."""
    def path(self, group: str) -> Path:
        """The path of this group of flows. Raises KeyError."""

def network_of(resolved: str) -> Network:
    """The network of a scenario as `Scenario.to_toml` writes it. The files and classes that it names need
    not exist; links that follow a trace have the rate that their AQM is told. Raises ScenarioError."""

CoreNote = tuple[str, Literal["note", "warning"], str, str, str]
"""Code, severity, path, message and hint of a note."""

def note_codes() -> list[tuple[str, str]]:
    """Codes of the notes of the core, each with its meaning, in the order of the rules."""

def notes_of(resolved: str, estimated_bytes: Callable[[str], float]) -> list[CoreNote]:
    """Notes on a scenario as `Scenario.to_toml` writes it, as those of `Scenario.notes`. The files and
    classes that it names need not exist. Raises ScenarioError."""

def level_in_words(written: str, steady_bps: float | None) -> str:
    """A level of a queue for people, `3125 kB (500 ms)`. `steady_bps` is the rate of a link that always has
    the same."""

def scaled(value: float, units: Sequence[str]) -> str:
    """The value with the unit of these, each a thousand times the one before, that suits it: `340 kB`."""

def rate_in_words(bps: float) -> str:
    """`10 Mbit/s`."""

def time_in_words(seconds: float) -> str:
    """`15 ms`."""

def packets_in_words(number: float) -> str:
    """`1,280 packets`."""

@final
class Scenario:
    """A scenario: what is simulated, and how it is measured. Immutable; can be pickled."""

    @staticmethod
    def load(path: str, overrides: Sequence[tuple[str, str]] = (), python: bool | None = True) -> Scenario:
        """Reads a TOML file. Overrides are (dotted path, TOML value); a value that is not TOML is taken as
        text. With `python` False, a scenario with AQMs in Python is refused. With None it can be read but not
        run, and its AQMs in Python are not loaded. Raises ScenarioError."""
    @staticmethod
    def loads(
        text: str,
        name: str = "<text>",
        overrides: Sequence[tuple[str, str]] = (),
        variant: str | None = None,
        python: bool | None = True,
    ) -> Scenario:
        """Reads the text of a file; `name` is its name in errors."""
    def replace(self, overrides: Sequence[tuple[str, str]]) -> Scenario:
        """The scenario with other values, checked anew."""
    def variant(self, name: str) -> Scenario:
        """The scenario with the overrides of `[variants.NAME]` applied and no variants left."""
    @property
    def variants(self) -> list[str]:
        """Names under `[variants]`, in the order of the file."""
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def label(self) -> str:
        """Name in tables and pictures: the variant's label, else its name, else the title."""
    @property
    def seed(self) -> int: ...
    @property
    def duration(self) -> float:
        """Duration of the run in seconds."""
    @property
    def links(self) -> list[str]: ...
    @property
    def network(self) -> Network:
        """The resolved network: ports, paths, load over time and the bottleneck."""
    def notes(self, estimated_bytes: Callable[[str], float]) -> list[CoreNote]:
        """Notes on what may mislead, in the order of `note_codes`. `estimated_bytes` tells the mean size of
        data packets at a port, by its name. It is asked where packets have several sizes."""
    @property
    def queues(self) -> list[tuple[str, str]]:
        """Every link and direction ("forward" | "reverse") that has a queue."""
    @property
    def groups(self) -> list[str]: ...
    @property
    def hash(self) -> str:
        """Hash of the values that differ from their defaults, 16 hexadecimal digits. A new optional field
        changes no old hash. Names, titles and the seed do not count."""
    def run_key(self, seed: int) -> int:
        """Key that distinguishes one run from every other: 63 bits, never negative.

        The key is the first eight bytes of a SHA-256, read as a number with its highest bit cleared. The
        SHA-256 is that of "HASH SEED VERSION" (the hash, the seed, the results version).
        """
    def value(self, path: str) -> Any:  # noqa: ANN401 - whatever a scenario holds
        """Value at a dotted path of the scenario with every default: a text, a number, a list or a table;
        None if there is none. Of a row of links, the first stands for all."""
    def has_choice(self, path: str) -> bool:
        """True if setting `path` leaves every choice as it is. False if `path` is a parameter of an AQM that
        this scenario does not have."""
    @property
    def has_changes(self) -> bool:
        """True if queues, buffers or round trips change in mid-run."""
    @property
    def has_python_aqms(self) -> bool:
        """True if AQMs in Python run in the scenario."""
    @property
    def sweep(self) -> str | None:
        """The table [sweep] as JSON, if there is one: replications, until, samples, method (each only
        where it is given) and axes, in the order of the file. Not part of the hash."""
    def to_toml(self) -> str:
        """The whole scenario with every default written out."""
    def to_json(self) -> str: ...

def schema() -> str:
    """The JSON schema of scenario files."""

def choices_of(path: str) -> list[tuple[str, str]]:
    """The choices that a path leads through, each with what it chooses there: of
    `links.core.queue.fq.aqm.red.max_th` they are (`links.core.queue`, `fq`) and
    (`links.core.queue.fq.aqm`, `red`)."""

def signal_descriptor() -> int | None:
    """Descriptor for `signal.set_wakeup_fd`: Ctrl-C and SIGTERM end the process also while a call of an AQM
    in Python keeps the interpreter. None where there is none."""

def run_keys(hashes: Sequence[str], first_seed: int, replications: int, results_version: int) -> bytes:
    """`Scenario.run_key` of many scenarios, as int64, each with the seeds `first_seed`, `first_seed + 1`, ...

    `results_version` may be another than ours: keys of what an earlier Weir has done.
    """

def disciplines() -> list[str]:
    """Names of all queue disciplines: the AQMs, each of which is a FIFO under it, then the schedulers."""

def name_of_others(kind: str, name: str) -> str | None:
    """Name in Weir for the name that another tool gives.

    `kind` is "queue", "congestion", "recovery" or "preset". None for a name that is ours, or that
    is not known. Raises ValueError for another kind.
    """

@final
class CongestionFacts:
    """Facts about a congestion control."""

    @property
    def marks(self) -> Literal["ignored", "heard", "wanted", "needed", "counted"]:
        """Role of marks: "ignored"; "heard": they count as a loss does; "wanted": the control is made for
        them; "needed": they are its only signal of congestion; "counted": it answers their number, and
        segments of a scalable control are ECT(1)."""

    @property
    def samples(self) -> bool:
        """True if the control samples the delivery rate, and paces by it."""

    @property
    def scalable(self) -> bool:
        """True if a mark reduces the window in proportion to the frequency of marks (RFC 9331, section
        4.1)."""

    @property
    def yields(self) -> bool:
        """True if the control yields to other traffic, by the queueing delay."""

    @property
    def kernel_name(self) -> str | None:
        """Name of the control in Linux's `tcp_congestion_control`; None if no kernel has it."""

    @property
    def variables(self) -> list[str]:
        """Names of the control's own variables, as they are recorded in series."""

    @property
    def needs(self) -> list[tuple[str, str]]:
        """Keys of `tcp` that the control needs to work as designed, each with its value in TOML."""

def congestion_facts(name: str, parameters: str = "{}") -> CongestionFacts:
    """Facts about the congestion control of this name, with parameters in JSON. Raises ValueError if there is
    none, or if it has no such parameters."""

def cake_bytes(parameters: str, packet: int, rate_bps: int) -> tuple[int, int]:
    """Returns what CAKE counts with these parameters in JSON: bytes of a packet of `packet` bytes on the
    wire, and bytes that may wait before a link of `rate_bps`. Raises ValueError if there are no such
    parameters."""

def lesson(text: str, file: str) -> str:
    """A lesson from its text in Markdown, as JSON; messages name `file`. Raises ScenarioError for what is no
    lesson."""

def quantity(text: str) -> tuple[float, str]:
    """Value of a quantity in the unit of its kind, and that unit: bit/s, s, packets, B or BDP. Raises
    ValueError, with a hint, for anything else."""

@final
class Memory:
    """Memory that runs may take together. When they take more, the largest of them ends, of equal ones the
    newest; the others go on. A run takes what its thread has allocated; its measurements count until its
    `Run` is forgotten."""

    def __new__(cls, limit: int) -> Memory:
        """Limits the memory to this number of bytes."""
    @property
    def limit(self) -> int: ...
    @property
    def taken(self) -> int:
        """Bytes of all runs of this process."""
    @property
    def largest(self) -> int:
        """Bytes of the largest run under way in this process."""
    def set_elsewhere(self, taken: int, largest: int) -> None:
        """Sets the bytes that all runs of other processes take, and those of the largest."""

@final
class Exceeded:
    """A run that took more memory than there is for runs, and has ended."""

    @property
    def at_s(self) -> float:
        """Simulated time at which the run ended, s."""
    @property
    def bytes(self) -> int:
        """Bytes that the run had taken."""
    @property
    def all_bytes(self) -> int:
        """Bytes that all runs under the same limit had taken."""
    @property
    def others(self) -> int:
        """Other runs under way in this process."""
    @property
    def mostly(self) -> Literal["flows", "packets", "series", "counts"]:
        """Part of the run that took most of the memory."""

@final
class Batch:
    """Runs simulations on all cores in the background, without the interpreter lock."""

    def __new__(
        cls,
        jobs: Sequence[tuple[Scenario, int]],
        threads: int = 0,
        captures: Sequence[tuple[str, str | None, bool, str | PathLike[str]]] = ...,
        memory: Memory | None = None,
    ) -> Batch:
        """Starts at once: one run per (scenario, seed); `threads` 0 means every core.

        Of the first run, `captures` are made: the link, its direction ("forward" | "reverse" | None:
        each that has a queue), whether packets are seen as they arrive, not as they leave, and the file.
        Runs that take too much of `memory` end.
        """
    def wait(self, seconds: float) -> bool:
        """Waits at most so long; True when every run has ended. Raises TimeoutError if a call of an AQM in
        Python takes too long, and cannot be interrupted."""
    @property
    def progress(self) -> float:
        """Simulated time so far, as a fraction of all."""
    @property
    def finished(self) -> int:
        """Runs ended so far."""
    def cancel(self) -> None:
        """Stops every run within a few milliseconds and waits for the threads. For a call of an AQM in Python
        that goes on although it was interrupted, it waits a few seconds."""
    def results(self) -> list[Run]:
        """The runs in the order of the jobs. Raises RuntimeError unless finished, CaptureError if a capture
        could not be written, and MemoryError if a run took more than it may."""
    def outcomes(self) -> list[Run | Exceeded]:
        """The runs as in `results`, with an `Exceeded` in the place of each run that took more memory than it
        may."""

@final
class LiveWays:
    """Ways of packets from outside through a scenario: those of the data and those of the ACKs of `group`, or
    of the first group over the bottleneck. Their propagation round trip is `rtt` ("40 ms"), or that of the
    group. Raises ScenarioError for a scenario that a live run cannot have. Linux only, as all below."""

    def __new__(cls, scenario: Scenario, group: str | None = None, rtt: str | None = None) -> LiveWays: ...
    @property
    def group(self) -> str: ...
    @property
    def rtt_s(self) -> float: ...
    def kernel_link(self, scenario: Scenario) -> tuple[str, str, float]:
        """The link whose queue one of the kernel can stand for: name, direction, rate in bit/s. Raises
        ScenarioError where none can."""

LiveEnd = tuple[int, bytes | None, Sequence[str]]
"""End of a live run: file descriptor, Ethernet addresses, IP addresses. The descriptor is duplicated. It is
of a TUN device without packet information and with virtio headers of ten bytes, or of a packet socket of
frames. A packet socket has the Ethernet addresses of destination and source (12 bytes). The IP addresses are
those behind the end, where there are several ends on one side."""

class LiveLateness(TypedDict):
    """Lateness of a direction. `wake_...` says how late sleeps end; a stall is a sleep that ends more than 10
    ms late. `late` packets left more than 1 ms after they were due. `refused` packets were no IP packets or
    had no room. `undelivered` packets were not taken by the other side."""

    wake_p50_us: float
    wake_p99_us: float
    wake_p999_us: float
    wake_max_us: float
    stalls: int
    packets: int
    late: int
    refused: int
    undelivered: int
    cpu_s: float

class LiveFlow(TypedDict):
    """A flow of one direction since the start."""

    flow: str
    packets: int
    bytes: int
    drops: int
    marks: int

class LiveLink(TypedDict):
    """Link with its queue: counts since the start, sojourn times since the last state."""

    link: str
    direction: Literal["forward", "reverse"]
    rate_bps: float
    waiting: int
    arrivals: int
    departures: int
    drops: int
    marks: int
    lost: int
    bytes: int
    waited_ns: int
    delay_p50_ms: float
    delay_p99_ms: float

class LiveState(TypedDict):
    """State of a direction: its queues in the order in which packets pass them, and its busiest flows."""

    links: list[LiveLink]
    flows: list[LiveFlow]
    lateness: LiveLateness

class LiveDirection(TypedDict):
    """Results of a direction; `error` says why it stopped before its end, if it did."""

    flows: list[LiveFlow]
    lateness: LiveLateness
    error: str | None

@final
class Relay:
    """Relays packets of at most `mtu` bytes between two sides: data from `senders`, ACKs from `receivers`.
    Starts at once, in two threads; the queues are those of a simulation with `seed`. What leaves goes to the
    file `capture` too (pcapng). `router` are descriptors of TUN devices: packets of the data are written into
    the first and read from the second, behind a queue of the kernel. Raises OSError."""

    def __new__(
        cls,
        ways: LiveWays,
        seed: int,
        senders: Sequence[LiveEnd],
        receivers: Sequence[LiveEnd],
        mtu: int,
        capture: str | PathLike[str] | None = None,
        router: tuple[int, int] | None = None,
    ) -> Relay: ...
    @property
    def is_running(self) -> bool:
        """True while both directions run: one that fails stops."""
    @property
    def elapsed_s(self) -> float: ...
    @property
    def packets(self) -> int:
        """Packets that came so far, in both directions; each is kept, in 24 bytes."""
    def states(self) -> list[LiveState | None]:
        """State forward and reverse; None for a direction that has stopped or does not answer within a
        second."""
    def stop(self) -> LiveRun:
        """Ends the run. Raises RuntimeError if it was ended before."""

@final
class LiveRun:
    """Results of a relay."""

    @property
    def duration_s(self) -> float: ...
    @property
    def capture_error(self) -> str | None:
        """Reason why the capture is not complete, if it is not."""
    def directions(self) -> list[LiveDirection]:
        """Results forward and reverse."""
    def passed(self) -> Columns:
        """Packets that a queue of the kernel had: `arrived_ns`, `left_ns` (-1: it did not), `bytes`, `flow`,
        `marked`, `dropped`."""
    def replay(
        self, warm_up_s: float, end_s: float
    ) -> list[tuple[dict[str, Columns], list[tuple[str, str]], bool]]:
        """Simulates the packets that came, direction by direction, without directions that have no ports.
        Returns the tables of the run from `warm_up_s` to `end_s`, and the links that packets of this
        direction pass. The last value is true if simulation and relay counted the same over the whole run."""

@final
class Run:
    """Measurements of one run; `tables` shows them."""

    @property
    def seed(self) -> int: ...
    @property
    def packets(self) -> int:
        """Packets that left the measured links in forward direction."""
    @property
    def events(self) -> int: ...
    @property
    def cpu_s(self) -> float:
        """CPU time of the run's thread, s."""

def tables(runs: Sequence[Run], only_groups: bool = False) -> dict[str, Columns]:
    """Tables of the measurements of runs: one table of each kind, run after run in the order given.

    The first column of every table is `run`, the place of the run in `runs` (uint32). Every table
    has all its columns, even without rows.

    Without `only_groups`, a group that is the only one of its scenario has no rows of its own
    in links, groups, delays and completions: they would say what those of "all" say.

    The class is "all" in the rows about all packets. A discipline that keeps classes apart has rows
    for each besides: "L" (low latency) and "C" (classic) of dualpi2. queue_mean, queue_sd and
    queue_max are of a class as a whole, not of a group (NaN); queue_trend and queue_drift of the whole
    queue and run.

    runs: run, seed, packets (that left the measured links in forward direction), events
    links: run, link, direction ("forward" | "reverse"), class, group ("all" or a flow group),
      period (-1: the whole run), from_s, to_s, bottleneck, rate_bps.
      Counts: arrivals, departures, drops, drops_early, drops_forced, drops_overflow, acks_filtered, marks,
      lost, bytes.
      Fractions: utilisation, loss, mark_fraction.
      Queue: queue_mean, queue_sd, queue_max, queue_trend, queue_drift.
      Delays: delay_mean_ms, delay_p50_ms, delay_p95_ms, delay_p99_ms, delay_p999_ms.
      Loss events: loss_events, loss_synchronisation
    groups: run, group ("all" or a flow group), period, from_s, to_s, users, goodput (fraction of the
      capacity of the narrowest link of the path), goodput_bps.
      Then: sent, retransmitted, delivered, loss, jain, timeouts, fast_retransmits, ecn_cuts, arrived,
      mark_fraction, mark_fraction_product, path_delay_ms, rtt_ms (NaN of datagrams)
    flows: run, flow, group, rtt_ms, start_s, stop_s, period, goodput_bps, delivered
    delays: run, link, direction, class, group, period, upto_ms, count (lists: packets whose sojourn fell in
      the bin that ends at upto_ms; empty bins are left out)
    completions: run, group ("all" or a flow group), period, from_s, to_s, upto_bytes (the upper end of a
      class of sizes; NaN: all sizes), count (transfers that ended), unfinished (that were under way at
      the end of the period), bytes.
      Times: fct_mean_ms, fct_p50_ms, fct_p95_ms, fct_p99_ms.
      Slowdowns: slowdown_mean, slowdown_p50, slowdown_p95, slowdown_p99.
      The table is empty where no flows come and go
    transfers: run, group, line (of the file), bytes, start_s, end_s (NaN: it had not ended), fct_ms,
      slowdown (a row for each transfer of a list that started)
    series: run, component, variable, time_s, value (lists; empty unless the scenario asks for series)

    Loss events are those of the queue as a whole (NaN in rows about one group or class). A loss event
    begins with a drop. It lasts one round trip, the mean of the flows over the queue, or until a row begins
    or ends. `loss_events` counts them. `loss_synchronisation` is the mean, over events, of the share of the
    flows there that lost packets (RFC 7928, section 2.4).

    `arrived` counts packets that reached the receivers, the SYN and those that came twice among them. The
    `mark_fraction` of a group is the share of them that was marked on the way. `mark_fraction_product` is
    what the hops would mark together if none knew of the others, 1 - prod(1 - marks / departures): the mean
    over groups, weighted with what arrived, in the rows of "all".

    A watched flow has the series `cwnd`, `ssthresh` and `flight` (what is in the network) in packets. It
    also has `srtt` in seconds (NaN before the first sample), and what its congestion control shows.
    """

def student_t(degrees: int, level: float) -> float:
    """The two-sided quantile of Student's t distribution. Raises ValueError unless there is one degree
    of freedom or more and the level is in [0, 1)."""

Ecn = Literal["not-ect", "ect0", "ect1", "ce"]

@final
class Link:
    """The link that an AQM stands before."""

    @property
    def rate(self) -> int:
        """Rate in bits per second when the AQM is made."""
    @property
    def mean_packet(self) -> int:
        """Mean packet size in bytes, for AQMs that count in packets."""
    @property
    def packets_per_second(self) -> float:
        """Rate in packets of mean size per second."""
    @property
    def limit_packets(self) -> int | None:
        """Limit of the buffer in packets; None if the limit is in bytes."""
    @property
    def limit_bytes(self) -> int | None:
        """Limit of the buffer in bytes; None if the limit is in packets."""

@final
class Packet:
    """A packet, as an AQM may see it."""

    @property
    def bytes(self) -> int: ...
    @property
    def ecn(self) -> Ecn: ...
    @property
    def flow(self) -> int: ...

@final
class Backlog:
    """Waiting packets, and the limit of the buffer. The packet being sent does not wait."""

    @property
    def packets(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def limit_packets(self) -> int | None:
        """Limit of the buffer in packets; None if the limit is in bytes."""
    @property
    def limit_bytes(self) -> int | None:
        """Limit of the buffer in bytes; None if the limit is in packets."""

@final
class Seen:
    """Measurements that a controller gets at an update. Counts are since the update before."""

    @property
    def now(self) -> float:
        """Seconds from the start."""
    @property
    def packets(self) -> int:
        """Packets that wait."""
    @property
    def bytes(self) -> int:
        """Bytes that wait."""
    @property
    def rate(self) -> int:
        """Rate of the link in bits per second."""
    @property
    def arrived(self) -> int:
        """Packets that arrived, dropped packets included."""
    @property
    def arrived_bytes(self) -> int: ...
    @property
    def left(self) -> int:
        """Packets that left for the link."""
    @property
    def left_bytes(self) -> int: ...
    @property
    def lost(self) -> int:
        """Packets dropped for want of room."""
    @property
    def delay(self) -> float | None:
        """Seconds that the last packet to leave waited; None if none has left."""

@final
class QueueCore:
    """One discipline in your hands: you are the link. Times in seconds, never backwards."""

    def __new__(cls, queue: str, rate: str, buffer: str, mean_packet: str, seed: int) -> QueueCore:
        """`queue`: table of a scenario as inline TOML, `{red = {max_th = "80 packets"}}`."""
    def offer(
        self, now: float, bytes: int, flow: int, ecn: Ecn, dscp: str, hosts: tuple[int, int]
    ) -> tuple[str, str | None, list[tuple[int, str]]]:
        """Verdict on an arriving packet: ("accepted" | "marked" | "dropped", reason: None | "early" |
        "forced" | "overflow"), and the packets in the queue that were dropped for it (flow, reason)."""
    def take(self, now: float) -> tuple[tuple[int, int, bool, float] | None, list[tuple[int, str]]]:
        """The next packet (flow, bytes, marked, sojourn in seconds) or None, and the packets dropped on
        the way to it (flow, reason)."""
    def advance(self, now: float) -> None: ...
    def set_rate(self, now: float, rate: str) -> None: ...
    def set_targets(self, now: float, delay: str, loss: float) -> None:
        """Sets the targets of OP-RED. Raises ValueError for any other discipline."""
    @property
    def packets(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def variables(self) -> dict[str, float]:
        """Inner variables under their published names."""

class _Transfers(TypedDict):
    """Transfers of a capture. Pairs are conversations and their bytes; times are in seconds."""

    transfers: dict[str, bytes]
    """Columns of float64: start, duration, bytes, packets, packet, rtt and part (NaN: none), pause; begun,
    ended and datagrams (0 or 1)."""
    tcp: tuple[int, int]
    quic: tuple[int, int]
    datagrams: tuple[int, int]
    left_out: dict[str, tuple[int, int]]
    other_direction: tuple[int, int, str | None, int]
    """Transfers of the other direction: their number, their bytes, the host that was sent most, and the
    number of hosts."""
    groups: int | None
    """Groups of hosts, as `RecordingSelection.groups`."""
    mixed: bool
    """True if both directions of the link are in `transfers`."""
    late: int
    latest: float
    copies: int
    """Packets that were captured before, at another interface, and do not count."""
    packets: int
    others: int
    """Packets of other protocols."""
    duration: float
    damage: str | None

def transfers(file: str | PathLike[str], towards: Sequence[str]) -> _Transfers:
    """Reads the transfers of a pcap or pcapng in the larger direction of the link, or to the networks
    `towards`, as `192.0.2.0/24`. Raises ValueError(message, hint)."""

class _Course(TypedDict):
    """Course of the fluid model: its values at each step, as float64."""

    times: bytes
    queue: bytes
    signal: bytes
    state: bytes
    variables: dict[str, bytes]
    windows: dict[str, bytes]

def integrate(integration: str) -> _Course:
    """Integrates the fluid model over a timeline: JSON with the names of `weir_theory::Integration`. Like the
    next three functions, it raises ValueError(message, hint, path)."""

def fluid_system(scenario: Scenario, at: float | None, link: str | None, cut: float) -> str:
    """System of a link as `weir_theory::Reading` in JSON: the queue of the link (the bottleneck if None) at
    an instant in seconds (the end if None), and its flows."""

def fluid_timeline(scenario: Scenario, until: float | None, link: str | None, cut: float) -> str:
    """Systems of a run until an instant, as `weir_theory::Timeline` in JSON."""

def fluid_queue(scenario: Scenario, link: str, at: float, size: int) -> str:
    """Queue of a link at an instant, in packets of `size` bytes, as `weir_theory::Queue` in JSON."""

def pi_gains(flows: float, capacity: float, rtt: float, crossover: float | None) -> tuple[float, float]:
    """Gains of PI by its rule: K (per packet and second) and z (rad/s)."""

PACKET_BYTES: float
"""Memory of a packet in a queue, or between two ports."""
PIE_SCALE: list[tuple[float, float]]
"""Divisors of PIE's step: each holds below its probability; above the last probability the divisor is 1 (RFC
8033, section 4.2)."""
