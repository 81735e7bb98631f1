"""What this computer has: Java, and the folder for things that can be made again.

Door: `java.find_java` and `cache.cache_folder`.
"""
