# One RED, REM, PI or AVQ (`Vq`) queue in front of a 10 Mb/s link, watched packet by packet, in ns-2.35.
#
#     ns queue.tcl name=value ...
#
# All agents sit on the two ends of the link, so a packet that is sent reaches the queue at the same instant.
# The traffic goes through everything a queue sees: a start of many windows at once with an overflow, silence,
# single packets of several sizes at irregular gaps, a steady overload, and windows with idle time between them.
# The senders understand ECN and the queue only marks: no random draw decides which packets the queue holds. (With
# `ecn` 0 the queue drops instead; AVQ draws nothing then either.)
#
# With `steady` N the traffic is N senders whose data never ends.
# `adaptive` 1 is Floyd's Adaptive RED, `adaptive` 2 the self-configuring RED of Feng et al.
#
# Output, one record per line, in the order of events:
#   arrive <time> <bytes>     a packet reaches the queue; the link may take it at once (`leave` follows)
#   drop <time> <bytes>       the packet that has just arrived is refused
#   leave <time> <bytes> <marked>   a packet leaves the queue for the link
#   red <average> <p> <length> <max_p>   RED after the last arrival: average, marking probability, length it saw, max_p
#   update <time> <probability>  REM or PI after an update of its price or probability
#   end                       the run is complete

array set option {
    discipline  RED       limit       40       seconds   10        seed     1
    min_th      5         max_th      15       max_p     0.1       w_q      0.002
    phi         1.001     gamma       0.01     target    20        period   0.002
    a           1.822e-5  b         1.816e-5  desired  0.98     ecn      1
    wait        1         adaptive  0         alpha    0.01     beta     0.9
    interval    0.5       bottom    0.01      top      0.5      singles  1
    steady      0
}
foreach word $argv {
    lassign [split $word =] name value
    if {![info exists option($name)]} {
        error "no option `$name'; there are: [lsort [array names option]]"
    }
    set option($name) $value
}

ns-random [expr {104729 + 7919 * $option(seed)}]
set gaps [new RNG]
$gaps seed [expr {4242 + $option(seed)}]

# A random delay before each burst, since ACKs come back exactly as far apart as packets leave: without it half
# of all arrivals would meet the end of a transmission.
foreach {name value} {window_ 60 packetSize_ 1000 useHeaders_ false overhead_ 0.0005} {
    Agent/TCP set $name $value
}
Agent/TCP set ecn_ $option(ecn)
foreach {name value} [list \
        bytes_ false queue_in_bytes_ false mean_pktsize_ 1000 gentle_ true wait_ $option(wait) \
        adaptive_ [expr {$option(adaptive) > 0}] feng_adaptive_ [expr {$option(adaptive) == 2}] \
        alpha_ $option(alpha) beta_ $option(beta) interval_ $option(interval) \
        bottom_ $option(bottom) top_ $option(top) \
        thresh_ $option(min_th) maxthresh_ $option(max_th) \
        linterm_ [expr {1.0 / $option(max_p)}] q_weight_ $option(w_q) setbit_ true use_mark_p_ false] {
    Queue/RED set $name $value
}
foreach {name value} [list \
        phi_ $option(phi) gamma_ $option(gamma) pbo_ $option(target) pupdtime_ $option(period) \
        mean_pktsize_ 1000 qib_ false markpkts_ true] {
    Queue/REM set $name $value
}
foreach {name value} [list \
        a_ $option(a) b_ $option(b) qref_ $option(target) w_ [expr {1.0 / $option(period)}] \
        mean_pktsize_ 1000 bytes_ false queue_in_bytes_ false setbit_ true] {
    Queue/PI set $name $value
}
foreach {name value} [list \
        gamma_ $option(desired) mean_pktsize_ 1000 queue_in_bytes_ true markpkts_ $option(ecn)] {
    Queue/Vq set $name $value
}

set ns [new Simulator]
$ns rtproto Manual
remove-all-packet-headers
add-packet-header IP TCP Flags RTP
set near [$ns node]
set far [$ns node]
$ns simplex-link $near $far 10Mb 20ms $option(discipline)
$ns queue-limit $near $far $option(limit)
$ns simplex-link $far $near 10Mb 20ms DropTail
$ns queue-limit $far $near 100000
[$near get-module Manual] add-route-to-adj-node -default $far
[$far get-module Manual] add-route-to-adj-node -default $near
set queue [[$ns link $near $far] queue]

# --- Traffic ---------------------------------------------------------------------------------------------

set flows [expr {$option(steady) ? $option(steady) : 10}]
for {set flow 0} {$flow < $flows} {incr flow} {
    set sender($flow) [new Agent/TCP/Newreno]
    set sink [new Agent/TCPSink]
    $ns attach-agent $near $sender($flow)
    $ns attach-agent $far $sink
    $ns connect $sender($flow) $sink
}
set single [new Agent/UDP]
$single set packetSize_ 1500
set null [new Agent/Null]
$ns attach-agent $near $single
$ns attach-agent $far $null
$ns connect $single $null

proc transfer {time flow packets} {
    global ns sender
    $ns at $time "$sender($flow) advanceby $packets"
}
for {set flow 0} {$flow < $flows} {incr flow} {
    transfer [expr {0.0123457 + 0.0131003 * $flow}] $flow [expr {$option(steady) ? 1000000 : 170}]
}
if {!$option(steady)} {
    set time 3.0001237
    set sizes {1000 40 500 1500 1000 250 1000 1460}
    for {set packet 0} {$packet < 80 * $option(singles)} {incr packet} {
        $ns at $time "$single send [lindex $sizes [expr {$packet % 8}]]"
        set gap [expr {0.0003 * pow(400.0, [$gaps uniform 0.0 1.0])}]
        set time [expr {round(($time + $gap) * 1e7) / 1e7}]
    }
    for {set flow 0} {$flow < 6} {incr flow} {
        transfer [expr {5.3004321 + 0.0507001 * $flow}] $flow 210
    }
    for {set turn 0} {$turn < 10} {incr turn} {
        transfer [expr {7.6009873 + 0.1310007 * $turn}] [expr {$turn % 3}] 24
    }
}

# --- Watching --------------------------------------------------------------------------------------------

proc watch {event} {
    global ns queue option
    switch [lindex $event 0] {
        + {
            if {$option(discipline) eq "RED"} { state }
            puts "arrive [$ns now] [lindex $event 5]"
        }
        - { puts "leave [$ns now] [lindex $event 5] [string match *E* [lindex $event 6]]" }
        d { puts "drop [$ns now] [lindex $event 5]" }
    }
}
proc state {} {
    global queue
    puts "red [$queue set ave_] [$queue set prob1_] [$queue set curq_] [$queue set cur_max_p_]"
}
# Updates come at multiples of the period; look one nanosecond later.
proc look {update} {
    global ns queue option
    puts "update [$ns now] [$queue set prob_]"
    incr update
    $ns at [expr {$update * $option(period) + 1e-9}] "look $update"
}
[$ns link $near $far] trace-callback $ns watch
if {$option(discipline) in {REM PI}} {
    $ns at [expr {$option(period) + 1e-9}] "look 1"
}
$ns at $option(seconds) {
    if {$option(discipline) eq "RED"} { state }
    puts end
    flush stdout
    exit 0
}
$ns run
